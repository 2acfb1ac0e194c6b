import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Check, Failure, type Origin } from './failure.ts'
import type { YamlReader } from './yaml-reader.ts'
import { parseSections, type SectionReaders } from './yaml.ts'

const origin: Origin = { file: 'x.yaml', invalid: 'dependencies.invalid_pnpm_input' }

interface Large {
  readonly large: unknown
}
const READERS: SectionReaders<Large> = { large: (reader) => reader.skip() }

/** What is made of the section `large` of a document. */
function readLarge<T>(text: string, read: (reader: YamlReader) => T): T {
  const made = parseSections<{ large: T }>(text, { large: read }, origin)[0]?.section('large')
  assert.ok(made !== undefined)
  return made
}

/** Keys with the texts under them. */
const textsOf = (text: string): readonly string[] =>
  readLarge(text, (reader) => {
    const found: string[] = []
    reader.pairs((key) => void found.push(`${key}=${reader.text()}`))
    return found
  })

const skipLarge = (text: string) => () =>
  readLarge(text, (reader) => {
    reader.skip()
    return true
  })

const refusal = (read: () => unknown): Check => {
  try {
    read()
  } catch (error) {
    if (error instanceof Failure) return error.check
    throw error
  }
  assert.fail('it was read')
}

test('a large section is read in place and the rest is a value, in either order and in each document [DEX-019]', () => {
  const documents = parseSections<{ large: readonly string[] }>(
    'a: 1\nlarge: {x: y}\nb: [2]\n---\nlarge:\n  z: w\n---\n7\n',
    {
      large: (reader) => {
        const found: string[] = []
        reader.pairs((key) => void found.push(key, reader.text()))
        return found
      },
    },
    origin,
  )
  assert.deepEqual(
    documents.map(({ rest }) => rest),
    [{ a: 1, b: [2] }, {}, 7],
  )
  assert.deepEqual(
    documents.map(({ section }) => section('large')),
    [['x', 'y'], ['z', 'w'], undefined],
  )
})

test('what stands before a section that is refused is known, and the refusal comes when the section is asked for', () => {
  const documents = parseSections('a: 1\nlarge: {x: y, x: z}\nb: 2\n---\nc: 3\n', READERS, origin)
  assert.deepEqual(
    documents.map(({ rest }) => rest),
    [{ a: 1 }],
  )
  assert.equal(
    refusal(() => documents[0]?.section('large')),
    'not_yaml',
  )
})

test('texts are what YAML reads as texts, quoted or not, and nothing else is one [DEX-019]', () => {
  assert.deepEqual(textsOf(`large: {a: 1.2.3, b: '1', c: "x\\u0041", d: nullable, e: 1.0.0-rc.1, f: tru}`), [
    'a=1.2.3',
    'b=1',
    'c=xA',
    'd=nullable',
    'e=1.0.0-rc.1',
    'f=tru',
  ])
  for (const value of [
    '1',
    '1.0',
    '-3',
    '0x1F',
    '.inf',
    '.nan',
    'null',
    '~',
    'true',
    'False',
    '',
    '[a]',
    '{}',
  ])
    assert.equal(
      refusal(() => textsOf(`large:\n  a: ${value}\n`)),
      'wrong_type',
      value,
    )
  assert.equal(
    refusal(() => textsOf('large: {1: a}')),
    'wrong_type',
  )
  assert.equal(
    refusal(() => textsOf('large: [a]')),
    'wrong_type',
  )
})

test('a key that is given twice is refused wherever it is: in what is read, skipped, small, large, sorted or not', () => {
  const many = Array.from({ length: 20 }, (_, index) => `k${String(20 - index).padStart(2, '0')}`)
  for (const keys of [
    ['a', 'a'],
    ['b', 'a', 'b'],
    ['b', 'a', 'a'],
    [...many, 'k03'],
    [...many, 'k20'],
    [...many, 'z', 'k01'],
  ]) {
    const mapping = `{${keys.map((key) => `${key}: x`).join(', ')}}`
    assert.equal(
      refusal(() => textsOf(`large: ${mapping}`)),
      'not_yaml',
      mapping,
    )
    assert.equal(refusal(skipLarge(`large: {deep: [{in: ${mapping}}]}`)), 'not_yaml', mapping)
  }
  assert.equal(
    textsOf(`large: {${[...many, 'z'].map((key) => `${key}: x`).join(', ')}}`).length,
    many.length + 1,
  )
  assert.equal(
    refusal(() => parseSections('large: {}\nlarge: {}\n', READERS, origin)),
    'not_yaml',
  )
  assert.equal(
    refusal(() => parseSections('a: {b: 1, b: 2}\nlarge: {}\n', READERS, origin)),
    'not_yaml',
  )
})

test('aliases and tags are refused in a large section as they are in the rest', () => {
  for (const section of [
    '{a: &x b, c: *x}',
    '{a: !!str b}',
    '!!map {a: b}',
    '{!!str a: b}',
    '{a: [!!int 1]}',
  ])
    assert.equal(refusal(skipLarge(`large: ${section}`)), 'not_yaml', section)
  assert.equal(
    refusal(() => parseSections('a: &x b\nc: *x\n', READERS, origin)),
    'not_yaml',
  )
})

test('true is the boolean alone, and what is asked has been read afterwards [DEX-019]', () => {
  const found = readLarge(`large: {a: true, b: 'true', c: false, d: [true], e: TRUE, f: text}`, (reader) => {
    const keys: string[] = []
    reader.pairs((key) => {
      if (key === 'f') keys.push(reader.text())
      else if (reader.isTrue()) keys.push(key)
    })
    return keys
  })
  assert.deepEqual(found, ['a', 'e', 'text'])
})
