import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphOf, javascriptOf, linesOf, outcomeOf } from './fixtures.ts'

type Fields = Readonly<Record<string, unknown>>

const bun = (manifest: Fields, packages: Fields, lock: Fields = {}): Fields => ({
  'package.json': { name: 'p', ...manifest },
  'bun.lock': { lockfileVersion: 1, workspaces: { '': { name: 'p', ...manifest } }, packages, ...lock },
})

const refusal = (manifest: Fields, packages: Fields, lock: Fields = {}): string =>
  outcomeOf(javascriptOf(bun(manifest, packages, lock)))

const INVALID = 'dependencies.invalid_bun_input: bun.lock'

const LOCK = `{
  // made by hand, /* as far as */ comments go
  "lockfileVersion": 1,
  "configVersion": 1,
  "workspaces": {
    "": {
      "name": "p", /* trailing commas, and a text with // in it: "\\"," */
      "dependencies": { "a": "^1", "any": "", "nick": "npm:@s/real@1", },
      "devDependencies": { "plugin": "1", "archive": "https://user:secret@r.example/x.tgz" },
      "optionalDependencies": { "repo": "github:o/r#main" },
    },
  },
  "packages": {
    "a": ["a@1.0.0", "", { "dependencies": { "b": "1" } }, "sha512-a"],

    "any": ["any@2.0.0", "", {}, "sha512-any"],
    "b": ["b@2.0.0", "", {}, "sha512-b2"],
    "nick": ["@s/real@1.0.0", "", { "dependencies": { "b": "1", "@s/real": "2" } }, "sha512-real"],
    "plugin": ["plugin@1.0.0", "", { "peerDependencies": { "b": "2", "shy": "*", "gone": "1" }, "optionalPeers": ["shy"] }, "sha512-p"],
    "archive": ["archive@https://user:secret@r.example/x.tgz", {}, "sha512-x"],
    "repo": ["repo@github:o/r#1234567", { "dependencies": { "b": "2" } }, "o-r-1234567", "sha512-r"],
    "a/b": ["b@1.0.0", "", {}, "sha512-b1"],
    "nick/b": ["b@1.0.0", "", {}, "sha512-b1"],
    "nick/@s/real": ["@s/real@2.0.0", "", {}, "sha512-real2"],
  },
}`

const MANIFEST = {
  dependencies: { a: '^1', any: '', nick: 'npm:@s/real@1' },
  devDependencies: { plugin: '1', archive: 'https://user:secret@r.example/x.tgz' },
  optionalDependencies: { repo: 'github:o/r#main' },
}

test('comments and trailing commas are fine, paths are ids, addresses become digests, peers may be optional [DEX-020]', () => {
  const lines = linesOf(graphOf(javascriptOf({ 'package.json': MANIFEST, 'bun.lock': LOCK })))
  assert.deepEqual(lines, [
    'a = a 1.0.0, regular, sha512-a',
    'a/b = b 1.0.0, regular, sha512-b1',
    'any = any 2.0.0, regular, sha512-any',
    'b = b 2.0.0, regular+development, sha512-b2',
    'bun:sha256:490556ae07b3b54a1734af5584a699e9277608495a8e1c28ef762f8354227311 = repo 1234567, regular, ref 1234567, sha512-r',
    'bun:sha256:c86bd4436dcdddf6abf47c585c8af1b416639a4809483dbcf849a4f3e3a9ebe5 = archive bun:sha256:5193d69e8a2c6d4234ca99d561b3e246b87b6406b5acc7cc4bec0a2e06aba154, development, sha512-x',
    'nick = @s/real 1.0.0, regular, sha512-real',
    'nick/@s/real = @s/real 2.0.0, regular, sha512-real2',
    'nick/b = b 1.0.0, regular, sha512-b1',
    'plugin = plugin 1.0.0, development, sha512-p',
    'a -> a/b (b@1)',
    'bun:sha256:490556ae07b3b54a1734af5584a699e9277608495a8e1c28ef762f8354227311 -> b (b@2)',
    'nick -> nick/@s/real (@s/real@2)',
    'nick -> nick/b (b@1)',
    'plugin -> ? (gone@1 peer)',
    'plugin -> ? (shy@* peer optional)',
    'plugin -> b (b@2 peer)',
    'root -> a (a@^1)',
    'root -> any (any@*)',
    'root -> bun:sha256:490556ae07b3b54a1734af5584a699e9277608495a8e1c28ef762f8354227311 (repo@github:o/r#main optional)',
    'root -> bun:sha256:c86bd4436dcdddf6abf47c585c8af1b416639a4809483dbcf849a4f3e3a9ebe5 (archive@https://r.example/x.tgz development)',
    'root -> nick (nick@npm:@s/real@1)',
    'root -> plugin (plugin@1 development)',
  ])
})

test('an empty specifier means any version, also where the lock writes it out [DEX-020]', () => {
  const files = (declared: string, locked: string): Fields => ({
    'package.json': { dependencies: { a: declared } },
    'bun.lock': {
      lockfileVersion: 1,
      workspaces: { '': { dependencies: { a: locked } } },
      packages: { a: ['a@1.0.0', '', {}, 'sha512-a'] },
    },
  })
  assert.equal(outcomeOf(javascriptOf(files('', '*'))), 'read')
  assert.equal(outcomeOf(javascriptOf(files('*', ''))), 'read')
  assert.equal(graphOf(javascriptOf(files('', ''))).requirements[0]?.constraint, '*')
})

test('versions 1 and 2 of the text lock are read, 0 and 3 and the binary lock are not [DEP-013]', () => {
  const unsupported = 'dependencies.unsupported_format: bun.lock has a format version that is not supported'
  for (const lockfileVersion of [1, 2]) assert.equal(refusal({}, {}, { lockfileVersion }), 'read')
  for (const lockfileVersion of [0, 3, '1', undefined])
    assert.equal(refusal({}, {}, { lockfileVersion }), unsupported)
  assert.equal(
    outcomeOf(javascriptOf({ 'package.json': {}, 'bun.lockb': '' })),
    'dependencies.unsupported_format: bun.lockb is a binary lock, which is not supported; save it as text',
  )
})

test('the workspace "" must declare what package.json declares [DEP-051]', () => {
  const stale = 'dependencies.stale_bun_lockfile: bun.lock does not match the dependencies of package.json'
  const root = { dependencies: { a: '^1' }, peerDependencies: { h: '1' }, optionalPeers: ['h'] }
  const lock = {
    lockfileVersion: 1,
    workspaces: { '': root },
    packages: { a: ['a@1.0.0', '', {}, 'sha512-a'] },
  }
  const outcome = (manifest: Fields): string =>
    outcomeOf(javascriptOf({ 'package.json': manifest, 'bun.lock': lock }))
  const fitting = {
    dependencies: { a: '^1' },
    peerDependencies: { h: '1' },
    peerDependenciesMeta: { h: { optional: true } },
  }
  assert.equal(outcome(fitting), 'read')
  for (const change of [
    { dependencies: { a: '^2' } },
    { dependencies: {} },
    { devDependencies: { b: '1' } },
    { peerDependenciesMeta: {} },
  ])
    assert.equal(outcome({ ...fitting, ...change }), stale)
})

test('another workspace, a linked package and a local archive are an unsupported layout', () => {
  const layout = 'dependencies.unsupported_layout: bun.lock'
  assert.equal(
    refusal({}, {}, { workspaces: { '': {}, 'packages/a': {} } }),
    `${layout} describes a workspace, which is not supported`,
  )
  for (const place of [
    'workspace:packages/a',
    'link:a',
    'file:../a',
    './a.tgz',
    'vendor/a.tgz',
    'root:',
    'C:\\a',
  ])
    assert.equal(
      refusal({}, { a: [`a@${place}`, {}] }),
      `${layout} has a package from a local path, which is not supported`,
      place,
    )
})

test('entries that cannot be a tree of packages are invalid', () => {
  const cases: readonly (readonly [Fields, string])[] = [
    [{ 'a/b': ['b@1.0.0', '', {}, ''] }, 'has a package inside of one that it does not have'],
    [{ a: ['a', '', {}, ''] }, 'has a package without a name or version'],
    [{ a: ['a@', '', {}, ''] }, 'has a package without a name or version'],
    [{ a: [] }, 'has a member of the wrong type'],
    [{ a: {} }, 'has a member of the wrong type'],
    [{ 'a//b': ['a@1.0.0'] }, 'has a name that no package can have'],
    [{ '@s': ['@s/a@1.0.0'] }, 'has a name that no package can have'],
    [{ a: ['a@1.0.0', '', { dependencies: { b: '1' } }, ''] }, 'lacks a package that another one requires'],
  ]
  for (const [packages, check] of cases) assert.equal(refusal({}, packages), `${INVALID} ${check}`)
  assert.equal(refusal({}, {}, { workspaces: {} }), `${INVALID} has no entry for the project itself`)
})

test('a credential in a declared address is left out up to the last sign before the host', () => {
  const ADDRESS = 'user:secret@r.example'
  const hard = (text: string): string => text.replaceAll(ADDRESS, 'user:sec@ret@r.example')
  const given = { 'package.json': JSON.parse(hard(JSON.stringify(MANIFEST))), 'bun.lock': hard(LOCK) }
  const line = linesOf(graphOf(javascriptOf(given))).find((each) => each.includes('(archive@'))
  assert.match(line ?? '', /\(archive@https:\/\/r\.example\/x\.tgz development\)$/)
})
