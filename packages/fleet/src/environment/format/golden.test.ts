import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FormatRefused, parseFile, type Reader, renderFile } from '#/environment/format/index.ts'

const GOLDEN = join(import.meta.dirname, '..', 'golden')

/** Input and expected part of every file of a folder; a folder without files fails. */
function corpus(folder: string): readonly { name: string; input: string; expected: string }[] {
  const names = readdirSync(join(GOLDEN, folder))
  assert.notEqual(names.length, 0)
  return names.map((name) => {
    const [input = '', expected = ''] = readFileSync(join(GOLDEN, folder, name), 'utf8').split(/^----\n/m)
    return { name: name.replace(/\.txt$/, ''), input, expected }
  })
}

const read = (text: string): Record<string, string> => Object.fromEntries(parseFile(Buffer.from(text)))

for (const { name, input, expected } of corpus('parse')) {
  test(`a file with ${name} is read, whatever its line ends and with a byte-order mark [ENV-028]`, () => {
    const values: unknown = JSON.parse(expected)
    for (const text of [input, input.replaceAll('\n', '\r\n'), `\uFEFF${input}`, input.replace(/\n$/, '')]) {
      assert.deepEqual(read(text), values)
    }
  })
}

for (const { name, input, expected } of corpus('refuse')) {
  test(`a file with ${name} is refused whole with rule and line and without a value [ENV-029]`, () => {
    const problem: unknown = JSON.parse(expected)
    assert.throws(
      () => parseFile(Buffer.from(input)),
      (error) => {
        assert.ok(error instanceof FormatRefused)
        assert.deepEqual(error.problem, problem)
        return true
      },
    )
  })
}

const READERS: readonly Reader[] = ['phpdotenv', 'general']
for (const reader of READERS) {
  test(`values are rendered sorted and quoted for ${reader} [ENV-044, INS-131]`, () => {
    const [file] = corpus('render').filter(({ name }) => name === reader)
    assert.ok(file)
    const values = Object.entries(JSON.parse(file.input) as Record<string, string>) // as: the golden file holds texts.
    assert.equal(renderFile(new Map(values), reader), file.expected)
  })
}
