/** What the package.json of an invented package says beside its name. */
export interface Invented {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: true }>>
  readonly bundleDependencies?: readonly string[]
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly deprecated?: string
  readonly bin?: string
}

const plain = (name: string, ...versions: string[]): Invented[] =>
  versions.map((version) => ({ name, version }))

/** The packages of the test registry: each stands for one thing that lock files record in a way of its own. */
export const INVENTED: readonly Invented[] = [
  ...plain('alpha', '1.0.0', '1.1.0', '2.0.0'),
  { name: 'beta', version: '1.0.0', dependencies: { alpha: '^1.0.0' } },
  { name: 'gamma', version: '1.0.0', dependencies: { alpha: '^2.0.0', beta: '^1.0.0' } },
  { name: 'delta', version: '1.0.0', dependencies: { gamma: '~1.0.0' }, devDependencies: { host: '1' } },
  ...['a', 'b', 'c'].map((one, at) => ({
    name: `cycle-${one}`,
    version: '1.0.0',
    dependencies: { [`cycle-${['b', 'c', 'a'][at]}`]: '1.x' },
  })),
  ...plain('@acme/core', '1.0.0', '1.2.0', '2.0.0'),
  { name: '@acme/tool', version: '1.0.0', dependencies: { '@acme/core': '^1.0.0', alpha: '*' }, bin: 'x.js' },
  ...plain('host', '1.0.0', '1.1.0', '2.0.0'),
  { name: 'plugin', version: '1.0.0', peerDependencies: { host: '^1.0.0' } },
  { name: 'plugin', version: '2.0.0', peerDependencies: { host: '^2.0.0' } },
  {
    name: 'shy-plugin',
    version: '1.0.0',
    peerDependencies: { host: '>=1' },
    peerDependenciesMeta: { host: { optional: true } },
  },
  {
    name: 'plugin-pack',
    version: '1.0.0',
    dependencies: { plugin: '^1.0.0', beta: '*' },
    peerDependencies: { host: '^1.0.0' },
  },
  { name: 'host-one', version: '1.0.0', dependencies: { host: '^1.0.0', plugin: '1.0.0' } },
  { name: 'host-two', version: '1.0.0', dependencies: { host: '^2.0.0', plugin: '2.0.0' } },
  {
    name: 'native',
    version: '1.0.0',
    optionalDependencies: {
      'native-linux-x64': '1.0.0',
      'native-darwin-arm64': '1.0.0',
      'native-win32': '1.0.0',
    },
  },
  { name: 'native-linux-x64', version: '1.0.0', os: ['linux'], cpu: ['x64'] },
  { name: 'native-darwin-arm64', version: '1.0.0', os: ['darwin'], cpu: ['arm64'] },
  { name: 'native-win32', version: '1.0.0', os: ['win32'], dependencies: { beta: '1' } },
  { name: 'old', version: '1.0.0', deprecated: 'use alpha' },
  ...plain('early', '1.0.0', '2.0.0-beta.1', '2.0.0-beta.2'),
  { name: 'early-user', version: '1.0.0', dependencies: { early: '^2.0.0-beta.1' } },
  { name: 'inside', version: '1.0.0', dependencies: { deeper: '1.0.0' } },
  ...plain('deeper', '1.0.0'),
  {
    name: 'bundler',
    version: '1.0.0',
    dependencies: { inside: '^1.0.0', alpha: '^1.0.0' },
    bundleDependencies: ['inside'],
  },
  { name: 'aliaser', version: '1.0.0', dependencies: { 'first-alpha': 'npm:alpha@^1.0.0', alpha: '^2.0.0' } },
  { name: 'JSONMap', version: '1.0.0', dependencies: { under_score: '1.0.0' } },
  ...plain('under_score', '1.0.0'),
  { name: 'builder', version: '1.0.0-rc.1+build.5', dependencies: { alpha: 'latest' } },
  {
    name: 'hopeful',
    version: '1.0.0',
    optionalDependencies: { 'never-published': '1.0.0', alpha: '^1.0.0' },
  },
  { name: 'either', version: '1.0.0', dependencies: { alpha: '1.0.0 || ^2.0.0' } },
  ...Array.from({ length: 12 }, (_, at) => ({
    name: `chain-${at}`,
    version: '1.0.0',
    dependencies: {
      alpha: at % 2 === 0 ? '^1.0.0' : '^2.0.0',
      ...(at < 11 && { [`chain-${at + 1}`]: '^1.0.0' }),
    },
  })),
]

/** Files that the archive of a package has beside its package.json. */
export const INSIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'bundler@1.0.0': {
    'package/node_modules/inside/package.json': JSON.stringify({
      name: 'inside',
      version: '1.0.0',
      dependencies: { deeper: '1.0.0' },
    }),
    'package/node_modules/deeper/package.json': JSON.stringify({ name: 'deeper', version: '1.0.0' }),
  },
}
