import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphOf, javascriptOf, linesOf, outcomeOf } from './fixtures.ts'

type Fields = Readonly<Record<string, unknown>>

const at = (version: string, more: Fields = {}): Fields => ({
  version,
  resolved: `https://registry.example/x/-/x-${version}.tgz`,
  integrity: `sha512-${version}`,
  ...more,
})

const npm = (manifest: Fields, packages: Fields, lock: Fields = {}): Fields => ({
  'package.json': { name: 'p', ...manifest },
  'package-lock.json': { lockfileVersion: 3, packages: { '': manifest, ...packages }, ...lock },
})

const refusal = (manifest: Fields, packages: Fields, lock: Fields = {}): string =>
  outcomeOf(javascriptOf(npm(manifest, packages, lock)))

const INVALID = 'dependencies.invalid_npm_input: package-lock.json'

test('a lookup walks from the nearest location to the root, and a location is the id [DEX-017]', () => {
  const files = npm(
    { dependencies: { a: '^1' }, devDependencies: { c: '1' } },
    {
      'node_modules/a': at('1.0.0', { dependencies: { b: '^1', c: '^1' }, devDependencies: { lost: '1' } }),
      'node_modules/a/node_modules/b': at('1.5.0', { dependencies: { c: '1' } }),
      'node_modules/b': at('2.0.0'),
      'node_modules/c': at('1.0.0', { optionalDependencies: { never: '1', b: '2' } }),
    },
  )
  assert.deepEqual(linesOf(graphOf(javascriptOf(files))), [
    'node_modules/a = a 1.0.0, regular, sha512-1.0.0',
    'node_modules/a/node_modules/b = b 1.5.0, regular, sha512-1.5.0',
    'node_modules/b = b 2.0.0, regular+development, sha512-2.0.0',
    'node_modules/c = c 1.0.0, regular+development, sha512-1.0.0',
    'node_modules/a -> node_modules/a/node_modules/b (b@^1)',
    'node_modules/a -> node_modules/c (c@^1)',
    'node_modules/a/node_modules/b -> node_modules/c (c@1)',
    'node_modules/c -> ? (never@1 optional)',
    'node_modules/c -> node_modules/b (b@2 optional)',
    'root -> node_modules/a (a@^1)',
    'root -> node_modules/c (c@1 development)',
  ])
})

test('a bundled name without an entry is optional and unresolved; any other dependency must have one [DEX-017]', () => {
  const bundler = (bundleDependencies: unknown): Fields => ({
    'node_modules/a': at('1.0.0', { dependencies: { inside: '1' }, bundleDependencies }),
  })
  const manifest = { dependencies: { a: '1' } }
  for (const bundled of [['inside'], true])
    assert.deepEqual(graphOf(javascriptOf(npm(manifest, bundler(bundled)))).requirements.at(-1), {
      source: 'node_modules/a',
      target: undefined,
      name: 'inside',
      constraint: '1',
      kind: 'dependency',
      scope: 'regular',
      optional: true,
    })
  for (const bundled of [['other'], false, undefined])
    assert.equal(refusal(manifest, bundler(bundled)), `${INVALID} lacks a package that another one requires`)
})

test('an empty map fits a manifest that declares nothing, and is stale beside any other [DEX-017]', () => {
  const lock = { lockfileVersion: 3, packages: {} }
  const empty = javascriptOf({ 'package.json': { scripts: {} }, 'package-lock.json': lock })
  assert.deepEqual(empty, {
    status: 'read',
    format: 'npm-3',
    files: ['package.json', 'package-lock.json'],
    graph: { ecosystem: 'npm', resolutions: [], requirements: [] },
  })
  assert.equal(
    outcomeOf(javascriptOf({ 'package.json': { dependencies: { a: '1' } }, 'package-lock.json': lock })),
    'dependencies.stale_npm_lockfile: package-lock.json does not match the dependencies of package.json',
  )
})

const ALIASES: readonly (readonly [string, Fields, boolean])[] = [
  ['npm:real@^1.0.0', at('1.2.0', { name: 'real' }), true],
  ['npm:real@^1.0.0', at('2.0.0', { name: 'real' }), false],
  ['npm:real@^1.0.0', at('1.2.0', { name: 'other' }), true],
  ['npm:real@^1.0.0', at('1.2.0'), true],
  ['npm:real@^1.0.0', at('0.9.0'), false],
  ['npm:@s/real@~1', at('1.0.9', { name: '@s/real' }), true],
  ['npm:real', at('3.0.0-beta.1', { name: 'real' }), true],
  ['npm:real@>= 1.x <= =v2', at('v1.2.0', { name: 'real' }), true],
  [`npm:real@${'1.0.0 || '.repeat(100)}2.0.0`, at('2.0.0', { name: 'real' }), false],
  ['npm:real@next', at('9.0.0', { name: 'real' }), true],
  ['npm:real@next', { version: '9.0.0', integrity: 'sha512-x', name: 'real' }, true],
  ['npm:real@next', { version: '9.0.0', name: 'real' }, false],
  ['npm:real@next', at('9.0.0', { name: 'real', resolved: 'git+ssh://git@h.example/r.git#abc' }), false],
]

test('the range of an alias holds by loose semver, and its tag needs an archive of a registry [DEX-018]', () => {
  for (const [specifier, entry, isFine] of ALIASES)
    assert.equal(
      refusal({ dependencies: { nick: specifier } }, { 'node_modules/nick': entry }),
      isFine ? 'read' : `${INVALID} has an alias that leads to another package or version`,
      specifier,
    )
})

test('an optional alias that leads elsewhere is unresolved, and overrides may lead any alias elsewhere', () => {
  const packages = { 'node_modules/nick': at('2.0.0', { name: 'other' }) }
  const optional = { optionalDependencies: { nick: 'npm:real@1' } }
  assert.equal(graphOf(javascriptOf(npm(optional, packages))).requirements[0]?.target, undefined)
  const files = npm({ dependencies: { nick: 'npm:real@1' }, overrides: { nick: 'npm:other@2' } }, packages)
  assert.equal(graphOf(javascriptOf(files)).requirements[0]?.target, 'node_modules/nick')
})

test('versions 2 and 3 are read, every other one is unsupported [DEP-010]', () => {
  const unsupported =
    'dependencies.unsupported_format: package-lock.json has a format version that is not supported'
  for (const lockfileVersion of [2, 3]) assert.equal(refusal({}, {}, { lockfileVersion }), 'read')
  for (const lockfileVersion of [undefined, null, 0, 1, 4, '3', 2.5])
    assert.equal(refusal({}, {}, { lockfileVersion }), unsupported)
})

test('the root of the lock must declare what package.json declares [DEP-049]', () => {
  const stale =
    'dependencies.stale_npm_lockfile: package-lock.json does not match the dependencies of package.json'
  const packages = { 'node_modules/a': at('1.0.0') }
  const lock = { lockfileVersion: 3, packages: { '': { dependencies: { a: '^1' } }, ...packages } }
  const outcome = (manifest: Fields): string =>
    outcomeOf(javascriptOf({ 'package.json': manifest, 'package-lock.json': lock }))
  assert.equal(outcome({ dependencies: { a: '^1' }, version: '2.0.0' }), 'read')
  assert.equal(
    outcome({ dependencies: { a: '^1' }, optionalDependencies: {}, peerDependenciesMeta: {} }),
    'read',
  )
  for (const manifest of [
    {},
    { dependencies: { a: '^1.0' } },
    { dependencies: { a: '^1', b: '1' } },
    { devDependencies: { a: '^1' } },
    { optionalDependencies: { a: '^1' } },
    { dependencies: { a: '^1' }, peerDependencies: { c: '1' } },
  ])
    assert.equal(outcome(manifest), stale, JSON.stringify(manifest))
})

test('a shrinkwrap goes before a package-lock [DEP-011]', () => {
  const reading = javascriptOf({
    'package.json': { dependencies: { a: '1' } },
    'package-lock.json': 'not read at all',
    'npm-shrinkwrap.json': {
      lockfileVersion: 2,
      packages: { '': { dependencies: { a: '1' } }, 'node_modules/a': at('1.7.0') },
    },
  })
  assert.equal(graphOf(reading).resolutions[0]?.version, '1.7.0')
})

test('links, local archives, workspaces and locations outside of node_modules are an unsupported layout', () => {
  const local =
    'dependencies.unsupported_layout: package-lock.json has a package from a local path, which is not supported'
  for (const packages of [
    { 'node_modules/a': { link: true, resolved: 'lib/a' } },
    { 'node_modules/a': at('1.0.0', { resolved: 'file:a.tgz' }) },
    { 'lib/a': { version: '1.0.0' } },
    { '../a': { version: '1.0.0' } },
  ])
    assert.equal(refusal({}, packages), local)
  assert.equal(
    outcomeOf(javascriptOf(npm({}, { '': { workspaces: ['lib/*'] } }))),
    'dependencies.unsupported_layout: package-lock.json describes a workspace, which is not supported',
  )
})

test('peers are requirements of their own: a missing one stays unresolved, and one entry satisfies several', () => {
  const graph = graphOf(
    javascriptOf(
      npm(
        { dependencies: { plugin: '1' }, peerDependencies: { host: '^1', gone: '1' } },
        {
          'node_modules/plugin': at('1.0.0', {
            peerDependencies: { host: '^1', shy: '2' },
            peerDependenciesMeta: { shy: { optional: true } },
          }),
          'node_modules/host': at('1.0.0', { peer: true }),
        },
      ),
    ),
  )
  assert.deepEqual(linesOf(graph).slice(2), [
    'node_modules/plugin -> ? (shy@2 peer optional)',
    'node_modules/plugin -> node_modules/host (host@^1 peer)',
    'root -> ? (gone@1 peer)',
    'root -> node_modules/host (host@^1 peer)',
    'root -> node_modules/plugin (plugin@1)',
  ])
})

test('entries that cannot be a tree of packages are invalid', () => {
  const cases: readonly (readonly [Fields, string])[] = [
    [{ 'node_modules/a/node_modules/b': at('1.0.0') }, 'has a package inside of one that it does not have'],
    [
      { 'node_modules/a': { resolved: 'https://r.example/a.tgz' } },
      'has a package without a name or version',
    ],
    [{ 'node_modules/a': at('') }, 'has a package without a name or version'],
    [{ 'node_modules/../../etc': at('1.0.0') }, 'has a name that no package can have'],
    [{ 'node_modules/a b': at('1.0.0') }, 'has a name that no package can have'],
    [{ 'node_modules/a': at('1.0.0', { name: 'a\u0000' }) }, 'has a text that is too long or not printable'],
    [{ 'node_modules/a': [] }, 'has a member of the wrong type'],
    [{ 'node_modules/a': at('1.0.0', { dependencies: { b: 1 } }) }, 'has a member of the wrong type'],
    [{ 'node_modules/a': at('1.0.0', { version: 1 }) }, 'has a member of the wrong type'],
    [{ ['node_modules/a/'.repeat(101) + 'node_modules/a']: at('1.0.0') }, 'is nested too deeply'],
  ]
  for (const [packages, check] of cases) assert.equal(refusal({}, packages), `${INVALID} ${check}`)
})

test('an entry of an optional package that npm never resolved is passed over', () => {
  const packages = { 'node_modules/ghost': { optional: true, peer: true } }
  assert.deepEqual(
    graphOf(javascriptOf(npm({ optionalDependencies: { ghost: '1' } }, packages))).resolutions,
    [],
  )
})
