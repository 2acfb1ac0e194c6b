import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testSeed } from '@fleet/testing/sample'
import { graphOf, outcomeOf, read } from './fixtures.ts'
import type { Dependencies, Reading } from './read.ts'

type Files = Readonly<Record<string, string>>

const NPM = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { a: '^1', nick: 'npm:b@^2' }, devDependencies: { c: '1' } },
    'node_modules/a': { version: '1.0.0', dependencies: { b: '1' }, peerDependencies: { c: '*' } },
    'node_modules/a/node_modules/b': {
      version: '1.0.0',
      bundleDependencies: ['x'],
      dependencies: { x: '1' },
    },
    'node_modules/nick': { name: 'b', version: '2.0.0', integrity: 'sha512-b' },
    'node_modules/c': { version: '1.0.0', optionalDependencies: { gone: '1' } },
  },
})

const BUN = JSON.stringify({
  lockfileVersion: 1,
  workspaces: { '': { dependencies: { a: '^1', nick: 'npm:b@^2' }, devDependencies: { c: '1' } } },
  packages: {
    a: ['a@1.0.0', '', { dependencies: { b: '1' }, peerDependencies: { c: '*' } }, 'sha512-a'],
    'a/b': ['b@1.0.0', '', {}, 'sha512-b'],
    nick: ['b@git+https://h.example/b.git#1234567', {}, '1234567'],
    c: ['c@1.0.0', '', { optionalPeers: ['a'] }, 'sha512-c'],
  },
})

const PNPM = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1, version: 1.0.0(c@1.0.0)}
      nick: {specifier: npm:b@^2, version: b@2.0.0}
    devDependencies:
      c: {specifier: '1', version: 1.0.0}
packages:
  a@1.0.0: {resolution: {integrity: sha512-a}, peerDependencies: {c: '*'}}
  b@2.0.0: {resolution: {integrity: sha512-b}}
  c@1.0.0: {resolution: {integrity: sha512-c}}
snapshots:
  a@1.0.0(c@1.0.0): {dependencies: {b: 2.0.0, c: 1.0.0}}
  b@2.0.0: {}
  c@1.0.0: {}
`

const COMPOSER = JSON.stringify({
  packages: [
    { name: 'a/a', version: '1.0.0', require: { 'a/b': '*', php: '*' } },
    { name: 'a/c', version: 'v2', replace: { 'a/b': 'self.version' }, source: { reference: 'abc' } },
  ],
  'packages-dev': [{ name: 'a/d', version: 'dev-main', require: { 'a/a': '*' } }],
  aliases: [{ package: 'a/d' }],
  'plugin-api-version': '2.6.0',
})

const manifest = JSON.stringify({ dependencies: { a: '^1', nick: 'npm:b@^2' }, devDependencies: { c: '1' } })

const SOURCES: Readonly<Record<string, Files>> = {
  npm: { 'package.json': manifest, 'package-lock.json': NPM },
  bun: { 'package.json': manifest, 'bun.lock': BUN },
  pnpm: { 'package.json': manifest, 'pnpm-lock.yaml': PNPM },
  composer: {
    'composer.json': '{"require":{"a/a":"*"},"require-dev":{"a/d":"*"}}',
    'composer.lock': COMPOSER,
  },
}

/** What any reading must be, whatever it was made from. */
function check(name: string, { composer, javascript }: Dependencies): Reading {
  const reading = name === 'composer' ? composer : javascript
  if (reading.status === 'failed') {
    assert.notEqual(reading.check, 'reader', 'a reader did not foresee this')
    assert.match(reading.detail, /^[\w.-]+ [a-z][\w ,.;"-]+$/i)
    return reading
  }
  const { resolutions, requirements } = graphOf(reading)
  const ids = new Set(resolutions.map(({ id }) => id))
  assert.equal(ids.size, resolutions.length)
  for (const { source, target } of requirements)
    for (const id of [source, target]) assert.ok(id === undefined || ids.has(id))
  return reading
}

/** Pieces that mean something to one of the formats, so that mutations get past the parsers. */
const PIECE = fc.constantFrom(
  ...'{}[](),:"\\\'\n -@/#&*!<|>?%'.split(''),
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  '0',
  '9.0',
  '1e999',
  '""',
  '{}',
  '[]',
  '<<: *a',
  '&a ',
  '*a',
  '!!js ',
  '---\n',
  'node_modules/',
  '/node_modules/',
  'file:',
  'link:',
  'npm:',
  'workspace:*',
  'git+ssh://',
  '..',
  '\u0000',
  '\uD800',
  '\uFEFF',
  '(a@1.0.0)',
  'dependencies',
  'peerDependencies',
  'version',
  'name',
  'a',
  'b',
  'c',
  '1.0.0',
  '2.0.0',
)

const EDIT = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(12),
  piece: fc.oneof(fc.constant(''), PIECE),
})

function edited(text: string, edits: readonly { at: number; removed: number; piece: string }[]): string {
  let result = text
  for (const { at, removed, piece } of edits) {
    const start = Math.floor(at * result.length)
    result = result.slice(0, start) + piece + result.slice(start + removed)
  }
  return result
}

/** Every part of a value that can be replaced or removed, by its path. */
function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]))]
}

function changed(value: unknown, [key, ...rest]: readonly string[], put: unknown): unknown {
  if (key === undefined) return put
  if (Array.isArray(value))
    return value.map((one, at) => (String(at) === key ? changed(one, rest, put) : one))
  const entries = Object.entries(value as object) // The path leads through objects and lists alone.
  return Object.fromEntries(
    entries.flatMap(([name, one]) => {
      const next = name === key ? changed(one, rest, put) : one
      return next === undefined ? [] : [[name, next]]
    }),
  )
}

for (const [name, files] of Object.entries(SOURCES)) {
  const [lockFile = '', lock = ''] = Object.entries(files)[1] ?? []

  test(`any change of the text of a ${name} lock gives a graph that holds together, or a code`, () => {
    assert.equal(check(name, read(files)).status, 'read')
    fc.assert(
      fc.property(fc.array(EDIT, { minLength: 1, maxLength: 6 }), fc.boolean(), (edits, isLock) => {
        const [file, text] = isLock ? [lockFile, lock] : (Object.entries(files)[0] ?? ['', ''])
        check(name, read({ ...files, [file]: edited(text, edits) }))
      }),
      { seed: testSeed(), numRuns: 1500 },
    )
  })

  test(`a required package that is taken out of a ${name} lock is missed`, () => {
    const missing = { npm: 'node_modules/a', bun: 'a', pnpm: 'b@2.0.0', composer: 'a/c' }[name] ?? ''
    const without = lock
      .replace(new RegExp(`"${missing}":(\\{[^{}]*(\\{[^{}]*\\}[^{}]*)*\\}|\\[.*?sha512-a"\\]),`), '')
      .replace(new RegExp(`  ${missing}: .*\n`, 'g'), '')
      .replace(/\{"name":"a\/c".*?"abc"\}\}/, '{"name":"a/other","version":"1"}')
    assert.notEqual(without, lock)
    assert.match(outcomeOf(check(name, read({ ...files, [lockFile]: without }))), /^dependencies.invalid_/)
  })
}

for (const name of ['npm', 'bun', 'composer']) {
  const files = SOURCES[name] ?? {}
  const [lockFile = '', lock = ''] = Object.entries(files)[1] ?? []
  const value: unknown = JSON.parse(lock)

  test(`any value in the place of any part of a ${name} lock gives a graph that holds together, or a code`, () => {
    const anything = fc.oneof(
      fc.constant(undefined),
      PIECE,
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(null, -1, 1e308, '', 'x'.repeat(20_000), [[]], { __proto__: null }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...pathsOf(value)), anything, (path, put) => {
        check(name, read({ ...files, [lockFile]: JSON.stringify(changed(value, path, put)) ?? '' }))
      }),
      { seed: testSeed(), numRuns: 1500 },
    )
  })
}
