import assert from 'node:assert/strict'
import { test } from 'node:test'
import dotenvx from '@dotenvx/dotenvx'
import dotenv from 'dotenv'
import fc from 'fast-check'
import { type Reader, parseFile, quoteValue, renderFile } from '#/environment/format/index.ts'
import { readAsPhpdotenv, readAsShell } from '@fleet/testing'

const READERS: readonly Reader[] = ['phpdotenv', 'general']

const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/)
const hard = fc.constantFrom(
  '"',
  "'",
  '\\',
  '$',
  '`',
  '#',
  '=',
  '\n',
  '\r',
  ' ',
  '\t',
  '{',
  '}',
  '(',
  'n',
  'A',
  'é',
  '😀',
  '="',
  '\u2028',
  '\uFEFF',
)
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', '')),
  fc.array(hard, { maxLength: 14 }).map((pieces) => pieces.join('')),
)
const values = fc.dictionary(key, value, { maxKeys: 12 }).map((record) => new Map(Object.entries(record)))

test('reading a rendered file gives the same values for every valid value set [INS-131]', () => {
  fc.assert(
    fc.property(values, fc.constantFrom(...READERS), (given, reader) => {
      const read = parseFile(new TextEncoder().encode(renderFile(given, reader)))
      assert.deepEqual(sorted(read), sorted(given))
    }),
    { numRuns: 2000 },
  )
})

test('phpdotenv reads every value set back when it is the reader to suit', () => {
  fc.assert(
    fc.property(values, (given) => {
      assert.deepEqual(readAsPhpdotenv(renderFile(given, 'phpdotenv')), Object.fromEntries(given))
    }),
    { numRuns: 2000 },
  )
})

test('sh, bash, dotenv, dotenvx and phpdotenv all read back what needs no escape', () => {
  const common = fc.dictionary(
    key.map((name) => `V_${name}`),
    value.filter((text) => readsAlikeEverywhere(text)),
    { maxKeys: 40 },
  )
  fc.assert(
    fc.property(common, (record) => {
      const given = { ...record }
      const text = renderFile(new Map(Object.entries(given)), 'phpdotenv')
      assert.deepEqual({ ...dotenv.parse(text) }, given, 'dotenv')
      assert.deepEqual({ ...dotenvx.parse(text, { processEnv: {} }) }, given, 'dotenvx')
      assert.deepEqual(readAsPhpdotenv(text), given, 'phpdotenv')
      assert.deepEqual(pick(readAsShell(text), given), given, 'sh')
    }),
    { numRuns: 60 },
  )
})

/** No escape and no backtick between double quotes, which a shell would run; no backslash before the closing apostrophe, after which dotenv may read on. */
const readsAlikeEverywhere = (text: string): boolean => {
  const quoted = quoteValue(text, 'phpdotenv')
  return quoted.startsWith("'") ? !quoted.endsWith("\\'") : !/[\\`]/.test(quoted)
}

const sorted = (map: ReadonlyMap<string, string>): [string, string][] =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1))
const pick = (
  all: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): Record<string, string | undefined> =>
  Object.fromEntries(Object.keys(wanted).map((name) => [name, all[name]]))
