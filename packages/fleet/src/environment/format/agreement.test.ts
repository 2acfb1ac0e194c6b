import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAsPhpdotenv, readAsShell } from '@fleet/testing'
import dotenvx from '@dotenvx/dotenvx'
import dotenv from 'dotenv'
import { type Reader, renderFile } from '#/environment/format/index.ts'

type Read = (text: string) => Readonly<Record<string, string>>

/** Installed readers run as they are; phpdotenv by its rules; the rows of docs/decisions/0010 come from here. */
const READERS: Readonly<Record<string, Read>> = {
  phpdotenv: readAsPhpdotenv,
  dotenv: (text) => dotenv.parse(text),
  dotenvx: (text) => dotenvx.parse(text, { processEnv: {} }),
  sh: (text) => readAsShell(text, 'sh'),
  bash: (text) => readAsShell(text, 'bash'),
}
const ALL = Object.keys(READERS)
const DOTENVS = ['dotenv', 'dotenvx']
const except = (...others: readonly string[]): readonly string[] =>
  ALL.filter((name) => !others.includes(name))

interface Row {
  readonly values: readonly string[]
  /** Who reads the values back when phpdotenv is the reader to suit, and when it is not. */
  readonly phpdotenv: readonly string[]
  readonly general: readonly string[]
}

const TABLE: Readonly<Record<string, Row>> = {
  'plain text, blanks, #, =, {}, !': {
    values: ['a b', ' a ', 'a #b', '{"a":1}', 'a=b', '!x', 'Grüße 😀'],
    phpdotenv: ALL,
    general: ALL,
  },
  'apostrophes and line breaks': {
    values: ["it's", 'a\nb\n', "it's\n#x", '\n'],
    phpdotenv: ALL,
    general: ALL,
  },
  '" $ ` \\ on one line without apostrophe': {
    values: ['say "hi"', '$HOME', '${A}', '$(id)', '`id`', 'C:\\new', 'a\\\\'],
    phpdotenv: ALL,
    general: ALL,
  },
  '" $ ` \\ with a line break, without apostrophe': {
    values: ['{\n "a": "b\\nc"\n}', 'a\n$HOME', 'a\nC:\\new'],
    phpdotenv: except(...DOTENVS),
    general: except('phpdotenv'),
  },
  '" $ \\ together with an apostrophe': {
    values: ['it\'s "x"', "it's $HOME", "it's C:\\new"],
    phpdotenv: except(...DOTENVS),
    general: except(...DOTENVS),
  },
  'an odd number of \\ at the end': {
    values: ['a\\', 'a\\\\\\'],
    phpdotenv: except(...DOTENVS),
    general: except(...DOTENVS),
  },
  'carriage return': {
    values: ['a\rb', 'a\r\n'],
    phpdotenv: except('sh', 'bash'),
    general: except('sh', 'bash'),
  },
}

const readsBack = (read: Read, value: string, reader: Reader): boolean => {
  try {
    return read(renderFile(new Map([['FLEET_TEST', value]]), reader))['FLEET_TEST'] === value
  } catch {
    return false
  }
}

for (const [what, row] of Object.entries(TABLE)) {
  test(`who reads back ${what} is as the decision page says`, () => {
    for (const reader of ['phpdotenv', 'general'] as const) {
      const agreeing = ALL.filter((name) =>
        row.values.every((value) => readsBack(READERS[name] ?? (() => ({})), value, reader)),
      )
      assert.deepEqual(agreeing, row[reader], reader)
    }
  })
}

test('after backslashes at the end dotenv and dotenvx read on to the next apostrophe if it ends its line; no other reader does', () => {
  const given = { A: 'C:\\\\', B: "'\nand more" }
  for (const reader of ['phpdotenv', 'general'] as const) {
    const text = renderFile(new Map(Object.entries(given)), reader)
    const agreeing = ALL.filter((name) => {
      const { A, B } = READERS[name]?.(text) ?? {}
      return A === given.A && B === given.B
    })
    assert.deepEqual(agreeing, except(...DOTENVS), reader)
  }
})
