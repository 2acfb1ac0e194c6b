import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { fieldList, fields, MalformedOutput, textField } from './fields.ts'
import { FIELD_WRITERS } from './library.ts'

const write = (list: readonly { name: string; value: Buffer }[]): Buffer =>
  Buffer.concat(
    list.flatMap(({ name, value }) => [Buffer.from(`${name} ${value.length}\n`), value, Buffer.from('\n')]),
  )
const field = fc
  .tuple(fc.stringMatching(/^[A-Za-z_][\w.-]{0,8}$/), fc.uint8Array({ maxLength: 40 }))
  .map(([name, bytes]) => ({ name, value: Buffer.from(bytes) }))

test('any fields are read back, whatever bytes they hold', () => {
  fc.assert(fc.property(fc.array(field), (list) => assert.deepEqual(fieldList(write(list)), list)))
})

test('an answer cut at any byte is refused, or shorter by whole fields', () => {
  fc.assert(
    fc.property(fc.array(field, { minLength: 1 }), fc.nat(), (list, at) => {
      const whole = write(list)
      const read = listOrRefusal(whole.subarray(0, at % whole.length))
      assert.ok(read === 'refused' || read.length < list.length)
      if (read !== 'refused') assert.deepEqual(read, list.slice(0, read.length))
    }),
  )
})

const listOrRefusal = (bytes: Buffer): ReturnType<typeof fieldList> | 'refused' => {
  try {
    return fieldList(bytes)
  } catch (error) {
    assert.ok(error instanceof MalformedOutput)
    return 'refused'
  }
}

test('any other output is refused with nothing of it in the error', () => {
  const wrong = [
    'a',
    'a 1',
    'a 1\n',
    'a 1\nx',
    'a 1\nxy\n',
    'a 01\nx\n',
    'a -1\n\n',
    'a 1 2\nx\n',
    ' 1\nx\n',
    '1a 1\nx\n',
    'a  1\nx\n',
    '\n',
    'a 1e1\nx\n',
    'a 99999999999\nx\n',
  ]
  for (const text of wrong) {
    assert.throws(() => fields(Buffer.from(text)), MalformedOutput, JSON.stringify(text))
  }
  assert.throws(
    () => fields(Buffer.from('hunter2 hunter2')),
    (error: Error) => !error.message.includes('hunter2'),
  )
})

test('a repeated name is refused where every name stands once', () => {
  const twice = Buffer.from('a 1\nx\na 1\ny\n')
  assert.equal(fieldList(twice).length, 2)
  assert.throws(() => fields(twice), /repeated/)
})

test('a field that is missing or no UTF-8 is refused', () => {
  const given = fields(Buffer.from([...Buffer.from('good 3\n\u20ac\nbad 1\n'), 0xff, 0x0a]))
  assert.equal(textField(given, 'good'), '\u20ac')
  assert.throws(() => textField(given, 'bad'), /not UTF-8/)
  assert.throws(() => textField(given, 'other'), /missing/)
})

for (const shell of ['/bin/dash', '/bin/bash'].filter(existsSync)) {
  test(`what ${shell} writes with the field functions is read back`, (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'fleet-fields-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const path = join(directory, 'file')
    const bytes = Buffer.from([0, 1, 0xff, 0x0a, 0x0a])
    writeFileSync(path, bytes)
    const source = `${FIELD_WRITERS}field text "$1"; field empty ''; field_file file "$2"`
    const { stdout } = spawnSync(shell, ['-c', source, 'fleet', 'ä€😀\n-n %s', path], {
      env: { LANG: 'C.UTF-8' },
    })
    const read = fields(stdout)
    assert.deepEqual([textField(read, 'text'), textField(read, 'empty')], ['ä€😀\n-n %s', ''])
    assert.deepEqual(read.get('file'), bytes)
  })
}
