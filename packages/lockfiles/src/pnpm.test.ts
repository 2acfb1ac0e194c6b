import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphOf, javascriptOf, linesOf, outcomeOf } from './fixtures.ts'

type Fields = Readonly<Record<string, unknown>>

// JSON is YAML, so locks are written as values here; the recorded ones of tests/lockfiles are what pnpm writes.
const pnpm = (manifest: Fields, lock: Fields): Fields => ({
  'package.json': manifest,
  'pnpm-lock.yaml': JSON.stringify({ lockfileVersion: '9.0', importers: { '.': {} }, ...lock }),
})

const outcome = (manifest: Fields, lock: Fields): string => outcomeOf(javascriptOf(pnpm(manifest, lock)))

const INVALID = 'dependencies.invalid_pnpm_input: pnpm-lock.yaml'
const STALE =
  'dependencies.stale_pnpm_lockfile: pnpm-lock.yaml does not match the dependencies of package.json'

const locked = { resolution: { integrity: 'sha512-x' } }
const ARCHIVE = 'https://user:secret@r.example/x.tgz'
const SHA = '1234567890'.repeat(4)

test('keys of snapshots are ids, peer contexts stay apart, and an address becomes a digest [DEX-019]', () => {
  const graph = graphOf(
    javascriptOf(
      pnpm(
        {
          dependencies: { one: '1', host: '^1', nick: 'npm:@s/real@1' },
          devDependencies: { plugin: '1' },
          optionalDependencies: { archive: ARCHIVE, repo: 'o/r' },
        },
        {
          importers: {
            '.': {
              dependencies: {
                one: { specifier: '1', version: '1.0.0' },
                host: { specifier: '^1', version: '1.0.0' },
                nick: { specifier: 'npm:@s/real@1', version: '@s/real@1.0.0' },
              },
              devDependencies: { plugin: { specifier: '1', version: '1.0.0(host@1.0.0)' } },
              optionalDependencies: {
                archive: { specifier: ARCHIVE, version: ARCHIVE },
                repo: { specifier: 'o/r', version: `https://codeload.github.com/o/r/tar.gz/${SHA}` },
              },
            },
          },
          packages: {
            'one@1.0.0': locked,
            'host@1.0.0': locked,
            'host@2.0.0': locked,
            '@s/real@1.0.0': locked,
            'plugin@1.0.0': {
              ...locked,
              peerDependencies: { host: '>=1', shy: '*' },
              peerDependenciesMeta: { shy: { optional: true } },
            },
            [`archive@${ARCHIVE}`]: {
              resolution: { tarball: ARCHIVE, integrity: 'sha512-a' },
              version: '3.0.0',
            },
            [`repo@https://codeload.github.com/o/r/tar.gz/${SHA}`]: {
              resolution: { tarball: `https://codeload.github.com/o/r/tar.gz/${SHA}` },
              version: '0.1.0',
            },
          },
          snapshots: {
            'one@1.0.0': { dependencies: { host: '2.0.0', plugin: '1.0.0(host@2.0.0)' } },
            'host@1.0.0': {},
            'host@2.0.0': {},
            '@s/real@1.0.0': { optionalDependencies: { other: '@s/real@1.0.0' } },
            'plugin@1.0.0(host@1.0.0)': { dependencies: { host: '1.0.0' } },
            'plugin@1.0.0(host@2.0.0)': { dependencies: { host: '2.0.0' } },
            [`archive@${ARCHIVE}`]: {},
            [`repo@https://codeload.github.com/o/r/tar.gz/${SHA}`]: {},
          },
        },
      ),
    ),
  )
  assert.deepEqual(linesOf(graph), [
    '@s/real@1.0.0 = @s/real 1.0.0, regular, sha512-x',
    'host@1.0.0 = host 1.0.0, regular+development, sha512-x',
    'host@2.0.0 = host 2.0.0, regular, sha512-x',
    'one@1.0.0 = one 1.0.0, regular, sha512-x',
    'plugin@1.0.0(host@1.0.0) = plugin 1.0.0, development, sha512-x',
    'plugin@1.0.0(host@2.0.0) = plugin 1.0.0, regular, sha512-x',
    'pnpm:sha256:60d6dead9b053f2d16cfbff8454ee0db282b140a6c28738007009778a13b321c = repo 0.1.0, regular, ref 1234567890123456789012345678901234567890',
    'pnpm:sha256:aa9950615da23930cf017e561e76ad6eb606f11b0d8ac24534b3b20e5de87c21 = archive 3.0.0, regular, sha512-a',
    '@s/real@1.0.0 -> @s/real@1.0.0 (other@1.0.0 optional)',
    'one@1.0.0 -> host@2.0.0 (host@2.0.0)',
    'one@1.0.0 -> plugin@1.0.0(host@2.0.0) (plugin@1.0.0)',
    'plugin@1.0.0(host@1.0.0) -> ? (shy@* peer optional)',
    'plugin@1.0.0(host@1.0.0) -> host@1.0.0 (host@>=1 peer)',
    'plugin@1.0.0(host@2.0.0) -> ? (shy@* peer optional)',
    'plugin@1.0.0(host@2.0.0) -> host@2.0.0 (host@>=1 peer)',
    'root -> @s/real@1.0.0 (nick@npm:@s/real@1)',
    'root -> host@1.0.0 (host@^1)',
    'root -> one@1.0.0 (one@1)',
    'root -> plugin@1.0.0(host@1.0.0) (plugin@1 development)',
    'root -> pnpm:sha256:60d6dead9b053f2d16cfbff8454ee0db282b140a6c28738007009778a13b321c (repo@o/r optional)',
    'root -> pnpm:sha256:aa9950615da23930cf017e561e76ad6eb606f11b0d8ac24534b3b20e5de87c21 (archive@https://r.example/x.tgz optional)',
  ])
})

test('the importer must have the specifiers and sections of package.json [DEX-019, DEP-050]', () => {
  const lock = {
    importers: { '.': { dependencies: { a: { specifier: '^1', version: '1.0.0' } } } },
    packages: { 'a@1.0.0': locked },
    snapshots: { 'a@1.0.0': {} },
  }
  assert.equal(outcome({ dependencies: { a: '^1' } }, lock), 'read')
  for (const manifest of [
    {},
    { dependencies: { a: '^1.0' } },
    { dependencies: { a: '^1', b: '1' } },
    { devDependencies: { a: '^1' } },
    { optionalDependencies: { a: '^1' } },
  ])
    assert.equal(outcome(manifest, lock), STALE, JSON.stringify(manifest))
})

test('what settings of pnpm change in package.json is not stale', () => {
  const one = (section: string, specifier: string): Fields => ({
    importers: { '.': { [section]: { a: { specifier, version: '1.0.0' } } } },
    packages: { 'a@1.0.0': locked },
    snapshots: { 'a@1.0.0': {} },
  })
  const declared = { dependencies: { a: '^1' } }
  assert.equal(outcome(declared, { ...one('dependencies', '1.0.0'), overrides: { 'a@^1': '1.0.0' } }), 'read')
  assert.equal(outcome(declared, { ...one('dependencies', '1.0.0'), overrides: { b: '1.0.0' } }), STALE)
  assert.equal(outcome(declared, { overrides: { a: '-' } }), 'read')
  const peer = { peerDependencies: { a: '^1' } }
  assert.equal(outcome(peer, one('dependencies', '^1')), 'read')
  assert.equal(outcome(peer, {}), 'read')
  assert.equal(outcome(peer, { settings: { autoInstallPeers: true } }), STALE)
  const optional = { optionalDependencies: { '@s/abc': '1' } }
  for (const [pattern, expected] of [
    ['@s/*', 'read'],
    ['*a*c', 'read'],
    ['@s/abc', 'read'],
    ['abc*', STALE],
    ['*c*c', STALE],
  ] as const)
    assert.equal(outcome(optional, { ignoredOptionalDependencies: [pattern] }), expected, pattern)
})

test('a runtime that package.json asks for is locked like a dependency', () => {
  const lock = {
    importers: {
      '.': { devDependencies: { node: { specifier: 'runtime:^24', version: 'runtime:24.1.0' } } },
    },
    packages: { 'node@runtime:24.1.0': { resolution: { type: 'variations' }, version: '24.1.0' } },
    snapshots: { 'node@runtime:24.1.0': {} },
  }
  const runtime = { name: 'node', version: '^24', onFail: 'download' }
  assert.deepEqual(linesOf(graphOf(javascriptOf(pnpm({ devEngines: { runtime: [runtime] } }, lock)))), [
    'node@runtime:24.1.0 = node 24.1.0, development',
    'root -> node@runtime:24.1.0 (node@runtime:^24 development)',
  ])
  assert.equal(outcome({ devEngines: { runtime: { ...runtime, onFail: 'warn' } } }, lock), STALE)
})

test('version 9.0 is read, every other one is unsupported [DEP-012]', () => {
  const unsupported =
    'dependencies.unsupported_format: pnpm-lock.yaml has a format version that is not supported'
  for (const lockfileVersion of ['9.0', 9]) assert.equal(outcome({}, { lockfileVersion }), 'read')
  for (const lockfileVersion of ['6.0', 5.4, '9.1', '10.0', undefined])
    assert.equal(outcome({}, { lockfileVersion }), unsupported)
  assert.equal(
    outcome({}, { importers: { '.': {}, 'packages/a': {} } }),
    'dependencies.unsupported_layout: pnpm-lock.yaml describes a workspace, which is not supported',
  )
  assert.equal(
    outcome({}, { importers: { a: {} } }),
    'dependencies.unsupported_layout: pnpm-lock.yaml describes a workspace, which is not supported',
  )
})

test('of two documents the second is the project, and the first must be the environment of pnpm', () => {
  const documents = (...texts: string[]): string =>
    outcomeOf(
      javascriptOf({ 'package.json': {}, 'pnpm-lock.yaml': texts.map((one) => `---\n${one}`).join('') }),
    )
  const version = "lockfileVersion: '9.0'\n"
  const environment = `${version}importers:\n  .:\n    configDependencies: {}\n`
  const project = `${version}importers:\n  .: {}\n`
  assert.equal(documents(project), 'read')
  assert.equal(documents(environment, project), 'read')
  for (const texts of [
    [project, project],
    [environment, environment, project],
  ])
    assert.equal(documents(...texts), `${INVALID} has other YAML documents than a lock`)
  assert.equal(documents(), `${INVALID} is empty`)
  assert.match(documents(environment, "lockfileVersion: '6.0'\n"), /unsupported_format/)
})

test('links, local archives and directories are an unsupported layout', () => {
  const local =
    'dependencies.unsupported_layout: pnpm-lock.yaml has a package from a local path, which is not supported'
  const importers = (version: string): Fields => ({
    '.': { dependencies: { a: { specifier: '1', version } } },
  })
  const manifest = { dependencies: { a: '1' } }
  assert.equal(outcome(manifest, { importers: importers('link:../a') }), local)
  for (const [key, resolution] of [
    ['a@file:../a', { type: 'directory', directory: '../a' }],
    ['a@file:a.tgz', { tarball: 'file:a.tgz', integrity: 'sha512-x' }],
    ['a@1.0.0', { type: 'directory', directory: '../a' }],
  ] as const)
    assert.equal(outcome({}, { packages: { [key]: { resolution } }, snapshots: { [key]: {} } }), local)
})

test('pnpm-workspace.yaml may hold settings, but no packages', () => {
  const files = (workspace: string): string =>
    outcomeOf(javascriptOf({ ...pnpm({}, {}), 'pnpm-workspace.yaml': workspace }))
  for (const fine of [
    '',
    'packages: []\n',
    'packages: [.]\n',
    "packages: ['.', '!**/test/**']\n",
    "packages: ['./', './.']\n",
    'catalog: &c {a: ^1}\ncatalogs: {b: *c}\n',
  ])
    assert.equal(files(fine), 'read', fine)
  for (const one of ['packages/*', './packages/*', '**'])
    assert.match(
      files(`packages: ['.', '!b', '${one}']\n`),
      /^dependencies.unsupported_layout: pnpm-workspace.yaml/,
      one,
    )
  for (const broken of ['packages: {\n', 'packages: a\n', '- a\n', 'a: 1\n---\nb: 1\n'])
    assert.match(files(broken), /^dependencies.invalid_manifest: pnpm-workspace.yaml/, broken)
})

test('snapshots and packages that do not match are invalid', () => {
  const cases: readonly (readonly [Fields, string])[] = [
    [{ snapshots: { 'a@1.0.0': {} } }, 'has packages and snapshots that do not match'],
    [{ packages: { 'a@1.0.0': locked } }, 'has packages and snapshots that do not match'],
    [{ packages: { a: locked }, snapshots: { a: {} } }, 'has a package without a name or version'],
    [{ packages: { 'a@1.0.0': {} }, snapshots: { 'a@1.0.0': {} } }, 'has a member of the wrong type'],
    [
      { packages: { 'a@1.0.0': locked }, snapshots: { 'a@1.0.0': { dependencies: { b: '1.0.0' } } } },
      'lacks a package that another one requires',
    ],
    [{ importers: {} }, 'has no entry for the project itself'],
    [{ importers: { '.': { dependencies: { a: '1.0.0' } } } }, 'has a member of the wrong type'],
  ]
  for (const [lock, check] of cases) assert.equal(outcome({}, lock), `${INVALID} ${check}`)
})

test('a name may have more versions than are compared one by one, and an alias leads to any of them [DEX-019]', () => {
  const versions = Array.from({ length: 40 }, (_, index) => `1.${index}.0`)
  const dependencies = Object.fromEntries(
    versions.map((version, index) => [`alias-${index}`, `many@${version}`]),
  )
  const files = (chosen: Fields): Fields =>
    pnpm(
      { dependencies: { top: '1' } },
      {
        importers: { '.': { dependencies: { top: { specifier: '1', version: '1.0.0' } } } },
        packages: Object.fromEntries(
          ['top@1.0.0', ...versions.map((version) => `many@${version}`)].map((key) => [key, locked]),
        ),
        snapshots: {
          ...Object.fromEntries(versions.map((version) => [`many@${version}`, {}])),
          'top@1.0.0': { dependencies: chosen },
        },
      },
    )
  const graph = graphOf(javascriptOf(files(dependencies)))
  assert.deepEqual(
    graph.requirements.flatMap(({ source, name, target }) =>
      source === 'top@1.0.0' ? [[name, target]] : [],
    ),
    versions.map((version, index) => [`alias-${index}`, `many@${version}`]),
  )
  const lacking = (reference: string): string => outcomeOf(javascriptOf(files({ many: reference })))
  assert.equal(lacking('1.0.0'), 'read')
  assert.equal(lacking('2.0.0'), `${INVALID} lacks a package that another one requires`)
})
