type Fields = Readonly<Record<string, unknown>>

/** A project of PHP whose lock Composer makes from the repository below. */
export interface ComposerProject {
  readonly name: string
  readonly manifest: Fields
  /** Options of `composer update`. */
  readonly options?: readonly string[]
}

const pack = (name: string, version: string, more: Fields = {}): Fields => ({
  name,
  version,
  type: 'library',
  dist: {
    type: 'zip',
    url: `https://user:secret@packages.test/${name}-${version}.zip`,
    reference: 'd'.repeat(40),
    shasum: '',
  },
  source: { type: 'git', url: `https://user:secret@git.test/${name}.git`, reference: 'a'.repeat(40) },
  ...more,
})

/** The packages of the test repository. */
export const PHP_PACKAGES: readonly Fields[] = [
  pack('acme/alpha', '1.0.0'),
  pack('acme/alpha', '1.4.0'),
  pack('acme/alpha', 'v2.0.0'),
  pack('acme/beta', '1.0.0', { require: { 'acme/alpha': '^1.0' } }),
  pack('acme/gamma', '1.0.0', {
    require: { php: '>=7.2', 'ext-json': '*', 'acme/beta': '~1.0' },
    'require-dev': { 'acme/tester': '*' },
  }),
  pack('acme/cycle-a', '1.0.0', { require: { 'acme/cycle-b': '*' } }),
  pack('acme/cycle-b', '1.0.0', { require: { 'acme/cycle-a': '*' } }),
  pack('acme/tester', '3.0.0', { require: { 'acme/beta': '*' }, suggest: { 'acme/gamma': 'for more' } }),
  pack('acme/framework', '10.1.0', {
    replace: { 'acme/support': 'self.version', 'acme/queue': 'self.version' },
    require: { 'psr/log': '^2' },
  }),
  pack('acme/support', '10.0.0'),
  pack('acme/uses-support', '1.0.0', { require: { 'acme/support': '^10' } }),
  pack('psr/log', '2.0.0'),
  pack('psr/log', '3.0.0'),
  pack('acme/logger', '1.0.0', {
    require: { 'psr/log': '^2 || ^3' },
    provide: { 'psr/log-implementation': '2.0.0' },
  }),
  pack('acme/needs-logger', '1.0.0', { require: { 'psr/log-implementation': '^2.0' } }),
  pack('acme/plugin', '1.0.0', { type: 'composer-plugin', require: { 'composer-plugin-api': '^2.0' } }),
  pack('acme/edge', 'dev-main', { extra: { 'branch-alias': { 'dev-main': '2.x-dev' } } }),
  pack('acme/edge', '1.0.0'),
  pack('acme/wants-edge', '1.0.0', { require: { 'acme/edge': '^2.0@dev' } }),
  pack('acme/early', '1.0.0-beta1'),
  pack('acme/early', '1.0.0-RC2'),
  pack('acme/Mixed-Case', '1.0.0', { require: { 'Acme/Alpha': '*' } }),
  pack('acme/old', '1.0.0', { abandoned: 'acme/alpha' }),
  pack('acme/pack', '1.0.0', {
    type: 'metapackage',
    dist: undefined,
    source: undefined,
    require: { 'acme/alpha': '^2', 'acme/logger': '*' },
  }),
  pack('acme/archive', '1.0.0', {
    source: undefined,
    dist: { type: 'zip', url: 'https://packages.test/x.zip', reference: null, shasum: 'f'.repeat(40) },
  }),
  pack('acme/polyfill', '1.0.0', { provide: { 'ext-fantasy': '*' } }),
  pack('acme/fantasy', '1.0.0', {
    require: { 'ext-fantasy': '*', 'lib-pcre': '*', 'composer-runtime-api': '^2' },
  }),
  pack('acme/fights', '1.0.0', { conflict: { 'acme/alpha': '<2' } }),
]

const requires = (name: string, require: Fields, more: Fields = {}): ComposerProject => ({
  name,
  manifest: { name: 'acme/site', require, ...more },
})

export const PHP_PROJECTS: readonly ComposerProject[] = [
  { name: 'nothing', manifest: {} },
  requires('one package', { 'acme/alpha': '*' }),
  requires('a way of three packages', { 'acme/gamma': '^1' }),
  requires('development alone', {}, { 'require-dev': { 'acme/tester': '^3' } }),
  requires(
    'both scopes',
    { 'acme/beta': '1.0.0' },
    { 'require-dev': { 'acme/tester': '*', 'acme/cycle-a': '*' } },
  ),
  requires('a cycle', { 'acme/cycle-b': '*' }),
  requires('the platform', { php: '>=7', 'ext-json': '*', 'acme/alpha': '^2' }),
  requires('a replaced package', { 'acme/framework': '*', 'acme/uses-support': '*' }),
  requires('a package that another one could replace', { 'acme/uses-support': '*' }),
  requires('a replaced package of the root', { 'acme/framework': '*', 'acme/queue': '*' }),
  requires('a provided package', { 'acme/needs-logger': '*', 'acme/logger': '*' }),
  requires('a provided package of the root', { 'psr/log-implementation': '*', 'acme/logger': '*' }),
  requires(
    'a package that the root replaces',
    { 'acme/uses-support': '*' },
    { replace: { 'acme/support': '10.2.0' } },
  ),
  requires(
    'a package that the root provides',
    { 'acme/needs-logger': '*' },
    { provide: { 'psr/log-implementation': '2.0.0' } },
  ),
  requires('a plugin', { 'acme/plugin': '*' }, { config: { 'allow-plugins': { 'acme/plugin': false } } }),
  requires('a branch', { 'acme/edge': 'dev-main' }),
  requires('an alias of a branch', { 'acme/wants-edge': '*', 'acme/edge': 'dev-main' }),
  requires('an alias of the root', { 'acme/edge': 'dev-main as 1.9.0' }),
  requires('an alias in line that another one needs', {
    'acme/edge': 'dev-main as 2.0.0',
    'acme/wants-edge': '*',
  }),
  requires('a stability', { 'acme/early': '@beta' }),
  requires('a least stability', { 'acme/early': '*' }, { 'minimum-stability': 'RC', 'prefer-stable': true }),
  requires('names of mixed case', { 'acme/mixed-case': '*' }),
  requires('an abandoned package', { 'acme/old': '*' }),
  requires('a package of packages', { 'acme/pack': '*' }),
  requires('an archive without a source', { 'acme/archive': '*' }),
  requires('an extension by a package', { 'acme/fantasy': '*', 'acme/polyfill': '*' }),
  requires('a conflict', { 'acme/fights': '*', 'acme/alpha': '*' }),
  { ...requires('lowest versions', { 'acme/logger': '*', 'acme/beta': '*' }), options: ['--prefer-lowest'] },
  requires(
    'a bit of everything',
    {
      php: '*',
      'acme/framework': '^10',
      'acme/needs-logger': '*',
      'acme/logger': '*',
      'acme/edge': 'dev-main as 1.5.0',
    },
    { 'require-dev': { 'acme/tester': '*', 'acme/gamma': '*' } },
  ),
]
