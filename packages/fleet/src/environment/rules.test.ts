import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCipher } from '@fleet/store'
import { systemIds } from '@fleet/kernel'
import { TEST_APP_KEY } from '@fleet/testing'
import fc from 'fast-check'
import { renderFile } from '#/environment/format/index.ts'
import { refuseNames } from '#/environment/refusals.ts'
import {
  changedValues,
  droppedNames,
  importedValues,
  mostBytes,
  readerOf,
  resolvedValues,
} from '#/environment/rules.ts'
import { sealValue } from '#/environment/sealed-values.ts'

const laravel = { applicationDirectory: '', framework: 'laravel', php: true } as const
const values = (record: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(record))

test('the space asked for before decryption covers whatever is rendered [ENV-043]', () => {
  const cipher = makeCipher(TEST_APP_KEY, systemIds)
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\'"\\$\r', "'\\\\\\\\\\\\\\\\", ''))
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[A-Z_]{1,9}$/), text),
      fc.constantFrom('phpdotenv', 'general'),
      (record, reader) => {
        const given = values(record)
        const sealed = [...given].map(([key, value]) => sealValue(cipher, 1, key, value))
        assert.ok(Buffer.byteLength(renderFile(given, reader)) <= mostBytes(sealed))
      },
    ),
  )
})

test('the space for a long value of which every byte is escaped covers it twice, and no more than a file may have [ENV-043]', () => {
  const cipher = makeCipher(TEST_APP_KEY, systemIds)
  const sealed = (length: number) => [sealValue(cipher, 1, 'A', '\\'.repeat(length))]
  for (const reader of ['phpdotenv', 'general'] as const) {
    const file = Buffer.byteLength(renderFile(values({ A: `'${'\\'.repeat(20_000)}` }), reader))
    assert.ok(file >= 40_000 && file <= mostBytes(sealed(20_001)), `${reader} ${file}`)
  }
  assert.equal(mostBytes(sealed(1_048_576)), 1_048_576)
})

test('phpdotenv comes first where PHP reads the file with it', () => {
  assert.equal(readerOf(laravel), 'phpdotenv')
  assert.equal(readerOf({ ...laravel, framework: null }), 'phpdotenv')
  assert.equal(readerOf({ ...laravel, framework: 'symfony' }), 'general')
  assert.equal(readerOf({ ...laravel, framework: null, php: false }), 'general')
})

test('an empty stored key is no key to reuse [ENV-034]', () => {
  const ids = { bytes: (count: number) => new Uint8Array(count).fill(1) }
  const made = importedValues(
    values({ APP_KEY: '' }),
    values({ APP_KEY: '' }),
    { profile: laravel, needsRoute: true },
    ids,
  )
  assert.equal(made.get('APP_KEY'), `base64:${Buffer.alloc(32, 1).toString('base64')}`)
})

test('only names that nothing accounts for would be dropped, sorted [ENV-048, ENV-049]', () => {
  assert.deepEqual(droppedNames(['D', 'A', 'C', 'B', 'Z'], ['A'], ['B'], ['C']), ['D', 'Z'])
})

test('an entry counts as changed when its value is new or another one [ENV-014]', () => {
  const changed = changedValues(values({ A: '', B: '1' }), values({ A: '', B: '', C: '' }))
  assert.deepEqual(
    [...changed],
    [
      ['B', ''],
      ['C', ''],
    ],
  )
})

test('the first value that cannot be written is named and none is', () => {
  const { problem } = resolvedValues(values({ A: 'ok', B: '{{instance.domain}}' }), {
    environment: 'development',
  })
  assert.deepEqual(problem, { rule: 'placeholder_unresolved', key: 'B', placeholder: '{{instance.domain}}' })
})

test('more names than an answer can carry are cut at a whole name, with their number [API-012]', () => {
  const names = Array.from({ length: 1024 }, (_, i) => `${'K'.repeat(200)}${i}`)
  assert.throws(
    () => refuseNames('env.import_conflict', names),
    (error) => {
      assert.ok(error instanceof Error && 'details' in error)
      const { keys, count } = error.details as { keys: string; count: number } // as: the refusal under test sets both.
      assert.equal(count, 1024)
      assert.ok(keys.length < 9000)
      assert.ok(
        keys
          .split(',')
          .slice(0, -1)
          .every((name) => names.includes(name)),
      )
      return true
    },
  )
})
