/** A project of JavaScript whose lock each manager makes. `REGISTRY` and `REPOSITORY` stand for addresses of the run. */
export interface Project {
  readonly name: string
  readonly manifest: Readonly<Record<string, unknown>>
  readonly files?: Readonly<Record<string, string>>
  /** Managers that cannot make it, or only as a workspace. */
  readonly not?: readonly ('npm' | 'pnpm' | 'bun')[]
}

const dependencies = (name: string, specifiers: Readonly<Record<string, string>>): Project => ({
  name,
  manifest: { dependencies: specifiers },
})

export const PROJECTS: readonly Project[] = [
  { name: 'nothing', manifest: {}, not: ['bun'] },
  dependencies('one package', { alpha: '^1.0.0' }),
  dependencies('two versions of one package', { gamma: '1', alpha: '^1.0.0' }),
  dependencies('a long way to the root', { delta: '1.0.0' }),
  dependencies('a cycle', { 'cycle-a': '*', 'cycle-c': '^1' }),
  dependencies('scoped packages', { '@acme/tool': '1', '@acme/core': '2' }),
  { name: 'development alone', manifest: { devDependencies: { delta: '1', beta: '1' } } },
  {
    name: 'packages of both scopes',
    manifest: { dependencies: { beta: '1' }, devDependencies: { gamma: '1', '@acme/tool': '1' } },
  },
  dependencies('aliases', { first: 'npm:alpha@^1', second: 'npm:alpha@2', scoped: 'npm:@acme/core@^1' }),
  dependencies('aliases of packages', { aliaser: '1', alpha: '1.0.0' }),
  dependencies('an alias of a tag', { early: '1', newest: 'npm:early@next' }),
  dependencies('tags', { early: 'next', alpha: 'latest' }),
  dependencies('a prerelease', { 'early-user': '1', early: '1.0.0' }),
  dependencies('build metadata', { builder: 'latest' }),
  dependencies('a deprecated package', { old: '*' }),
  dependencies('a peer that the root brings', { plugin: '1', host: '^1' }),
  dependencies('a peer that nobody brings', { plugin: '1' }),
  dependencies('peers in two contexts', { 'host-one': '1', 'host-two': '1' }),
  dependencies('peers of peers', { 'plugin-pack': '1', host: '1.0.0' }),
  dependencies('an optional peer that is missing', { 'shy-plugin': '1' }),
  {
    name: 'an optional peer of another scope',
    manifest: { dependencies: { 'shy-plugin': '1' }, devDependencies: { host: '2' } },
  },
  { name: 'peers of the root', manifest: { peerDependencies: { host: '^1', alpha: '*' } } },
  {
    name: 'a peer of the root that it develops with',
    manifest: { peerDependencies: { host: '>=1' }, devDependencies: { host: '1.0.0', plugin: '1' } },
  },
  {
    name: 'an optional peer of the root',
    manifest: { peerDependencies: { host: '1' }, peerDependenciesMeta: { host: { optional: true } } },
  },
  { name: 'optional dependencies', manifest: { optionalDependencies: { beta: '1', gamma: '1' } } },
  dependencies('packages of platforms', { native: '1' }),
  { name: 'packages of platforms for development', manifest: { devDependencies: { native: '1' } } },
  dependencies('an optional dependency that cannot be had', { hopeful: '1' }),
  dependencies('bundled packages', { bundler: '1', inside: '1' }),
  dependencies('old names', { JSONMap: '1' }),
  dependencies('an empty specifier', { alpha: '', beta: '*' }),
  dependencies('an archive by its address', { packed: 'REGISTRY/archives/beta-1.0.0.tgz' }),
  {
    name: 'an archive for development',
    manifest: { devDependencies: { beta: 'REGISTRY/archives/beta-1.0.0.tgz' } },
  },
  dependencies('a repository', { repository: 'git+file://REPOSITORY' }),
  dependencies('a repository at a tag', { repository: 'git+file://REPOSITORY#v1.0.0', alpha: '2' }),
  {
    name: 'overrides of npm and Bun',
    manifest: { dependencies: { gamma: '1' }, overrides: { alpha: '1.0.0' } },
    not: ['pnpm'],
  },
  {
    name: 'overrides of pnpm',
    manifest: { dependencies: { gamma: '1', alpha: '^1.0.0' } },
    files: { 'pnpm-workspace.yaml': 'overrides:\n  alpha: 1.0.0\n' },
    not: ['npm', 'bun'],
  },
  {
    name: 'a catalog of pnpm',
    manifest: { dependencies: { alpha: 'catalog:', beta: 'catalog:old' } },
    files: { 'pnpm-workspace.yaml': 'catalog:\n  alpha: ^1.0.0\ncatalogs:\n  old:\n    beta: 1.0.0\n' },
    not: ['npm', 'bun'],
  },
  {
    name: 'a patched package of pnpm',
    manifest: { dependencies: { beta: '1', plugin: '1' } },
    files: {
      'pnpm-workspace.yaml': 'patchedDependencies:\n  beta@1.0.0: x.patch\n  plugin@1.0.0: x.patch\n',
      'x.patch': '--- a/x.js\n+++ b/x.js\n@@ -1 +1,2 @@\n #!/usr/bin/env node\n+// patched\n',
    },
    not: ['npm', 'bun'],
  },
  {
    name: 'a patched package of Bun',
    manifest: { dependencies: { beta: '1' }, patchedDependencies: { 'beta@1.0.0': 'x.patch' } },
    files: {
      'x.patch':
        'diff --git a/x.js b/x.js\nindex 1..2 100644\n--- a/x.js\n+++ b/x.js\n@@ -1 +1,2 @@\n #!/usr/bin/env node\n+// patched\n',
    },
    not: ['npm', 'pnpm'],
  },
  {
    name: 'an ignored optional dependency of pnpm',
    manifest: { dependencies: { alpha: '1' }, optionalDependencies: { beta: '1', '@acme/tool': '1' } },
    files: { 'pnpm-workspace.yaml': "ignoredOptionalDependencies:\n  - '@acme/*'\n" },
    not: ['npm', 'bun'],
  },
  {
    name: 'peers that pnpm does not install',
    manifest: { dependencies: { plugin: '1' }, peerDependencies: { alpha: '1' } },
    files: { 'pnpm-workspace.yaml': 'autoInstallPeers: false\n' },
    not: ['npm', 'bun'],
  },
  {
    name: 'a name in two sections',
    manifest: {
      dependencies: { alpha: '^1', beta: '1' },
      devDependencies: { host: '1' },
      optionalDependencies: { alpha: '^1' },
    },
  },
  {
    name: 'a name in every section',
    manifest: {
      dependencies: { alpha: '^1', beta: '1', host: '1', gamma: '1' },
      devDependencies: { alpha: '^1', beta: '1', delta: '1' },
      optionalDependencies: { beta: '1' },
      peerDependencies: { host: '>=1', delta: '*' },
    },
  },
  {
    name: 'packages that the project bundles itself',
    manifest: { dependencies: { delta: '1', alpha: '2' }, bundleDependencies: ['delta'] },
    not: ['pnpm'],
  },
  {
    name: 'overrides inside of one package',
    manifest: { dependencies: { gamma: '1', alpha: '2' }, overrides: { gamma: { alpha: '1.1.0' } } },
    not: ['pnpm', 'bun'],
  },
  {
    name: 'resolutions of Bun',
    manifest: { dependencies: { gamma: '1', alpha: '2' }, resolutions: { alpha: '1.1.0' } },
    not: ['npm', 'pnpm'],
  },
  {
    name: 'a catalog of Bun',
    manifest: {
      workspaces: [],
      catalog: { alpha: '^1.0.0' },
      catalogs: { old: { beta: '1.0.0' } },
      dependencies: { alpha: 'catalog:' },
      devDependencies: { beta: 'catalog:old' },
    },
    not: ['npm', 'pnpm'],
  },
  {
    name: 'overrides of pnpm for one parent, and one that removes a package',
    manifest: { dependencies: { gamma: '1', delta: '1', '@acme/tool': '1' } },
    files: {
      'pnpm-workspace.yaml': "overrides:\n  gamma>alpha: 1.1.0\n  '@acme/core': '-'\n  beta@1: npm:alpha@2\n",
    },
    not: ['npm', 'bun'],
  },
  {
    name: 'an extension of a package by pnpm',
    manifest: { dependencies: { alpha: '1', host: '1' } },
    files: {
      'pnpm-workspace.yaml':
        "packageExtensions:\n  alpha:\n    dependencies: {beta: '1'}\n    peerDependencies: {host: '*', '@acme/core': '*'}\n    peerDependenciesMeta: {'@acme/core': {optional: true}}\n",
    },
    not: ['npm', 'bun'],
  },
  {
    name: 'short contexts of peers of pnpm',
    manifest: { dependencies: { 'host-one': '1', 'host-two': '1', 'plugin-pack': '1', host: '1' } },
    files: { 'pnpm-workspace.yaml': 'peersSuffixMaxLength: 10\n' },
    not: ['npm', 'bun'],
  },
  {
    name: 'addresses of archives in a lock of pnpm',
    manifest: { dependencies: { gamma: '1', '@acme/tool': '1' } },
    files: { 'pnpm-workspace.yaml': 'lockfileIncludeTarballUrl: true\n' },
    not: ['npm', 'bun'],
  },
  dependencies('chains through two versions', { 'chain-0': '1', alpha: '2' }),
  dependencies('a range with alternatives', { either: '1', alpha: '1.1.0' }),
  {
    name: 'a bit of everything',
    manifest: {
      dependencies: { delta: '^1', first: 'npm:alpha@^1', bundler: '1', 'host-two': '1', '@acme/tool': '*' },
      devDependencies: { 'plugin-pack': '^1.0.0', native: '1', 'cycle-b': '1' },
      optionalDependencies: { JSONMap: '1', hopeful: '1' },
    },
  },
]
