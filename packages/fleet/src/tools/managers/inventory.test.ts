import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MalformedOutput } from '@fleet/shell'
import { casksIn, formulaeIn } from './inventory.ts'

const NONE = JSON.stringify({ formulae: [], casks: [] })
const MACHINE = { tag: undefined, home: '/Users/anna', prefix: '/opt/homebrew' }
const nobody = (): boolean => false

/** What the lists of formulae and of casks say of installed packages without metadata. */
const both = (lines: readonly string[]) => [
  () => formulaeIn({ names: lines.join('\n'), printed: NONE }, MACHINE, nobody),
  () => casksIn({ versions: lines.map((name) => `${name} 1.0`).join('\n'), printed: NONE }, MACHINE, nobody),
]

test('a package that is listed without metadata is kept, and one that is listed twice is no list [TLX-039]', () => {
  for (const list of both(['one', 'two']))
    assert.deepEqual(
      list().map(({ package: name, adoption_block }) => [name, adoption_block]),
      [
        ['one', 'unsupported_source'],
        ['two', 'unsupported_source'],
      ],
    )
  for (const list of both(['one', 'two', 'one'])) assert.throws(list, MalformedOutput)
})

test('metadata of a package that is not listed means that a list is cut off [TLX-039]', () => {
  const formulae = ['one', 'two'].map((name) => ({
    name,
    full_name: name,
    tap: 'homebrew/core',
    versions: { stable: '1.0' },
    bottle: {},
    installed: [{ version: '1.0' }],
  }))
  const casks = ['one', 'two'].map((token) => ({
    token,
    tap: 'homebrew/cask',
    version: '1.0',
    url: null,
    sha256: null,
  }))
  const printed = JSON.stringify({ formulae, casks })
  const listed = (names: readonly string[]) => [
    () => formulaeIn({ names: names.join('\n'), printed }, MACHINE, nobody),
    () => casksIn({ versions: names.map((name) => `${name} 1.0`).join('\n'), printed }, MACHINE, nobody),
  ]
  for (const list of listed(['one', 'two', 'three']))
    assert.deepEqual(
      list().map(({ package: name }) => name),
      ['one', 'two', 'three'],
    )
  for (const names of [['one'], ['two', 'three'], []])
    for (const list of listed(names)) assert.throws(list, MalformedOutput)
})
