import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, dependencyInventory } from '@fleet/contract'
import { COMPOSER, type Files, NPM, startWorld } from '#/dependencies/world.test.ts'

const manifest = { dependencies: { left: '1' } }
const integrity = { resolution: { integrity: 'sha512-left' } }

const LOCKS: Readonly<Record<string, Files>> = {
  npm: NPM,
  pnpm: {
    'package.json': manifest,
    'pnpm-lock.yaml': {
      lockfileVersion: '9.0',
      importers: { '.': { dependencies: { left: { specifier: '1', version: '1.0.0' } } } },
      packages: { 'left@1.0.0': integrity },
      snapshots: { 'left@1.0.0': {} },
    },
  },
  bun: {
    'package.json': manifest,
    'bun.lock': {
      lockfileVersion: 1,
      workspaces: { '': manifest },
      packages: { left: ['left@1.0.0', '', {}, 'sha512-left'] },
    },
  },
}

for (const [manager, files] of Object.entries(LOCKS))
  test(`packages of ${manager} are recorded in the ecosystem npm [DEP-014]`, async () => {
    await using world = await startWorld()
    world.put(files)
    const { javascript } = await world.scan()
    assert.equal(javascript.ecosystem, 'npm')
    const { source, graph } = javascript.snapshot ?? assert.fail()
    assert.ok(source.format?.startsWith(`${manager}-`), source.format ?? 'none')
    const left = graph?.resolutions.find(({ name }) => name === 'left')
    assert.equal(left?.ecosystem, 'npm')
  })

const UNSUPPORTED: Readonly<Record<string, readonly [files: Files, code: string]>> = {
  'a project of Yarn': [{ 'package.json': manifest, 'yarn.lock': '' }, 'unsupported_format'],
  'a binary lock of Bun': [{ 'package.json': manifest, 'bun.lockb': 'x' }, 'unsupported_format'],
  'a workspace': [{ ...NPM, 'package.json': { workspaces: ['a'] } }, 'unsupported_layout'],
  'a lock with several importers': [
    {
      ...LOCKS['pnpm'],
      'pnpm-lock.yaml': { lockfileVersion: '9.0', importers: { '.': {}, 'packages/a': {} } },
    },
    'unsupported_layout',
  ],
  'a package of file:': [
    { ...NPM, 'package.json': { dependencies: { a: 'file:../a' } } },
    'unsupported_layout',
  ],
  'a package of link:': [
    { ...NPM, 'package.json': { dependencies: { a: 'link:../a' } } },
    'unsupported_layout',
  ],
  'a lock of a later format': [
    { 'package.json': {}, 'package-lock.json': { lockfileVersion: 9 } },
    'unsupported_format',
  ],
  'a lock of npm that is no JSON': [{ ...NPM, 'package-lock.json': '{' }, 'invalid_npm_input'],
  'a lock of pnpm that is no YAML': [{ ...LOCKS['pnpm'], 'pnpm-lock.yaml': 'a: {' }, 'invalid_pnpm_input'],
  'a lock of Bun that is no JSON': [{ ...LOCKS['bun'], 'bun.lock': '{' }, 'invalid_bun_input'],
  'a manifest that is no JSON': [{ ...NPM, 'package.json': '{' }, 'invalid_manifest'],
}

for (const [what, [files, code]] of Object.entries(UNSUPPORTED))
  test(`${what} fails its ecosystem with a code of its own [DEP-015, DEP-052, DEX-024]`, async () => {
    await using world = await startWorld()
    world.put({ ...files, ...COMPOSER })
    const { succeeded, javascript, composer } = await world.scan()
    assert.deepEqual(
      [succeeded, javascript.succeeded, javascript.error_code, composer.succeeded],
      [false, false, `dependencies.${code}`, true],
    )
  })

test('a lock of Composer that is no JSON or has a local package fails with a code of its own [DEP-052, DEX-024]', async () => {
  await using world = await startWorld()
  const codeOf = async (files: Files) => {
    world.put({ ...COMPOSER, ...files })
    return (await world.scan()).composer.error_code
  }
  assert.equal(await codeOf({ 'composer.lock': '{' }), 'dependencies.invalid_composer_input')
  const local = { require: {}, repositories: [{ type: 'path', url: '../a' }] }
  assert.equal(await codeOf({ 'composer.json': local }), 'dependencies.unsupported_layout')
})

test('a requirement shows what it asks for, of which kind and scope, and whether anything satisfies it [DEX-006]', async () => {
  await using world = await startWorld()
  const root = { dependencies: { left: '^1' }, devDependencies: { tap: '^2' } }
  const left = {
    version: '1.0.0',
    optionalDependencies: { gone: '3' },
    peerDependencies: { tap: '*', missing: '>=4' },
    peerDependenciesMeta: { missing: { optional: true } },
  }
  world.put({
    'package.json': root,
    'package-lock.json': {
      lockfileVersion: 3,
      packages: { '': root, 'node_modules/left': left, 'node_modules/tap': { version: '2.0.0' } },
    },
  })
  const { javascript } = await world.scan()
  const [at, of] = ['node_modules/left', 'node_modules/tap']
  const regular = { kind: 'dependency', scope: 'regular', optional: false }
  const sorted = (javascript.snapshot?.graph?.requirements ?? []).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )
  assert.deepEqual(
    sorted.filter(({ name }) => name !== 'tap'),
    [
      { source: at, target: null, name: 'gone', constraint: '3', ...regular, optional: true },
      { source: null, target: at, name: 'left', constraint: '^1', ...regular },
      {
        source: at,
        target: null,
        name: 'missing',
        constraint: '>=4',
        ...regular,
        kind: 'peer',
        optional: true,
      },
    ],
  )
  assert.deepEqual(
    new Set(sorted.filter(({ name }) => name === 'tap')),
    new Set([
      { source: null, target: of, name: 'tap', constraint: '^2', ...regular, scope: 'development' },
      { source: at, target: of, name: 'tap', constraint: '*', ...regular, kind: 'peer' },
    ]),
  )
})

test('a source is one directory: an application of it cannot be selected [DEX-013]', () => {
  const operations = catalogue.filter(({ path }) => path.startsWith('/instances/{instance}/dependencies'))
  assert.equal(operations.length, 3)
  for (const { input } of operations) {
    assert.ok(input.safeParse({ instance: 1 }).success)
    assert.ok(!input.safeParse({ instance: 1, app: 'site' }).success)
  }
})

test('an inventory has at most 64 file hashes, and texts of 16 KiB [DEX-031]', async () => {
  await using world = await startWorld()
  world.put(NPM)
  const scanned = await world.scan()
  const { javascript } = scanned
  const snapshot = javascript.snapshot ?? assert.fail()
  const one = snapshot.graph?.resolutions[0] ?? assert.fail()
  const takes = (source: object, graph: object): boolean =>
    dependencyInventory.safeParse({
      ...scanned,
      javascript: {
        ...javascript,
        snapshot: {
          ...snapshot,
          source: { ...snapshot.source, ...source },
          graph: { ...snapshot.graph, ...graph },
        },
      },
    }).success
  const hashes = (count: number) => ({
    file_hashes: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 'a'])),
  })
  assert.deepEqual([takes(hashes(64), {}), takes(hashes(65), {})], [true, false])
  const text = (length: number) => ({ resolutions: [{ ...one, version: 'v'.repeat(length) }] })
  assert.deepEqual([takes({}, text(16_384)), takes({}, text(16_385))], [true, false])
})
