import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composerOf, graphOf, linesOf, outcomeOf } from './fixtures.ts'

type Fields = Readonly<Record<string, unknown>>

const composer = (manifest: Fields, lock: Fields): Fields => ({
  'composer.json': manifest,
  'composer.lock': { packages: [], 'packages-dev': [], 'plugin-api-version': '2.6.0', ...lock },
})

const outcome = (manifest: Fields, lock: Fields): string => outcomeOf(composerOf(composer(manifest, lock)))

const INVALID = 'dependencies.invalid_composer_input: composer.lock'

const at = (name: string, version: string, more: Fields = {}): Fields => ({ name, version, ...more })

test('packages, development, platform, stand-ins, aliases and revisions of a lock [DEX-016]', () => {
  const graph = graphOf(
    composerOf(
      composer(
        {
          name: 'acme/site',
          require: {
            php: '>=8.1',
            'acme/app': '^1',
            'psr/log-implementation': '1.0',
            'acme/edge': 'dev-main as 2.0.0',
          },
          'require-dev': { 'acme/test': '^3', 'acme/app': '*' },
        },
        {
          packages: [
            at('Acme/App', '1.2.3', {
              require: { 'ext-json': '*', 'illuminate/support': '^10', 'acme/many': '*' },
              source: { type: 'git', url: 'https://user:secret@h.example/app.git', reference: 'abc123' },
              dist: {
                type: 'zip',
                url: 'https://h.example/app.zip?token=secret',
                reference: 'abc123',
                shasum: '',
              },
            }),
            at('acme/logger', '1.0.0', { provide: { 'psr/log-implementation': '1.0', 'acme/many': '1' } }),
            at('acme/framework', 'v10.0.0', {
              replace: { 'illuminate/support': 'self.version', 'acme/many': '1' },
              dist: { type: 'zip', url: 'https://h.example/f.zip', reference: null, shasum: 'f00d' },
              'require-dev': { 'acme/never': '*' },
            }),
            at('acme/edge', 'dev-main', {
              require: [],
              dist: { type: 'zip', url: 'x', reference: 'def456' },
            }),
          ],
          'packages-dev': [at('acme/test', '3.0.0', { require: { 'acme/logger': '*', 'acme/site': '*' } })],
          aliases: [
            { package: 'acme/edge', version: 'dev-main', alias: '2.0.0', alias_normalized: '2.0.0.0' },
          ],
        },
      ),
    ),
  )
  assert.deepEqual(linesOf(graph), [
    'acme/app = acme/app 1.2.3, regular+development, ref abc123',
    'acme/edge = acme/edge dev-main, regular, ref def456',
    'acme/framework = acme/framework v10.0.0, regular+development, f00d',
    'acme/logger = acme/logger 1.0.0, regular+development',
    'acme/test = acme/test 3.0.0, development',
    'acme/app -> ? (acme/many@*)',
    'acme/app -> ? (ext-json@*)',
    'acme/app -> acme/framework (illuminate/support@^10)',
    'acme/test -> ? (acme/site@*)',
    'acme/test -> acme/logger (acme/logger@*)',
    'root -> ? (php@>=8.1)',
    'root -> acme/app (acme/app@* development)',
    'root -> acme/app (acme/app@^1)',
    'root -> acme/edge (acme/edge@dev-main as 2.0.0)',
    'root -> acme/logger (psr/log-implementation@1.0)',
    'root -> acme/test (acme/test@^3 development)',
  ])
})

test('locks of generation 1 and 2 are read, a later one is unsupported [DEP-009]', () => {
  const generation = (version: unknown): string => {
    const reading = composerOf(composer({}, { 'plugin-api-version': version }))
    return reading.status === 'read' ? reading.format : outcomeOf(reading)
  }
  assert.equal(generation('1.1.0'), 'composer-1')
  assert.equal(generation(undefined), 'composer-1')
  assert.equal(generation('2.3.0'), 'composer-2')
  assert.equal(
    generation('3.0.0'),
    'dependencies.unsupported_format: composer.lock has a format version that is not supported',
  )
})

test('a lock older than composer.json is read; what it lacks stays unresolved [DEX-028]', () => {
  const files = composer(
    { require: { 'acme/new': '^1', 'acme/moved': '^1' } },
    { 'content-hash': 'of another composer.json', 'packages-dev': [at('acme/moved', '1.0.0')] },
  )
  assert.deepEqual(linesOf(graphOf(composerOf(files))), [
    'acme/moved = acme/moved 1.0.0, regular+development',
    'root -> ? (acme/new@^1)',
    'root -> acme/moved (acme/moved@^1)',
  ])
})

test('names that no package can have stand for nothing, and do no harm', () => {
  const replace = { 'acme/*': '*', polyfill: '*', 'Acme/Old': '*' }
  const packages = [
    at('acme/new', '1.0.0', { replace, provide: [] }),
    at('acme/user', '1.0.0', { require: { 'acme/old': '*' } }),
  ]
  const graph = graphOf(composerOf(composer({ replace: { 'ext-*': '*' } }, { packages })))
  assert.deepEqual(linesOf(graph).at(-1), 'acme/user -> acme/new (acme/old@*)')
})

test('path repositories and packages are an unsupported layout', () => {
  const local = 'has a package from a local path, which is not supported'
  for (const repositories of [[{ type: 'path', url: '../a' }], { local: { type: 'path', url: '../a' } }])
    assert.equal(outcome({ repositories }, {}), `dependencies.unsupported_layout: composer.json ${local}`)
  for (const repositories of [
    [{ type: 'vcs', url: 'x' }, { 'packagist.org': false }],
    { 'packagist.org': false },
  ])
    assert.equal(outcome({ repositories }, {}), 'read')
  assert.equal(
    outcome({}, { packages: [at('a/b', '1.0.0', { dist: { type: 'path', url: '../b' } })] }),
    `dependencies.unsupported_layout: composer.lock ${local}`,
  )
})

test('a lock that contradicts itself is invalid', () => {
  const cases: readonly (readonly [Fields, string])[] = [
    [{ packages: {} }, 'has a member of the wrong type'],
    [{ packages: undefined }, 'has a member of the wrong type'],
    [{ packages: [at('a/b', '1.0.0')], 'packages-dev': [at('A/B', '1.0.0')] }, 'has a package twice'],
    [{ packages: [at('a/b', '')] }, 'has a package without a name or version'],
    [{ packages: [at('ab', '1.0.0')] }, 'has a name that no package can have'],
    [
      { packages: [at('a/b', '1.0.0', { require: { 'a/c': '1' } })] },
      'lacks a package that another one requires',
    ],
    [{ packages: [at('a/b', '1.0.0', { require: ['a/c'] })] }, 'has a member of the wrong type'],
    [{ aliases: [{ package: 'a/b' }] }, 'has an alias that leads to another package or version'],
    [{ packages: [at('a/b', '1.0.0', { source: 'git' })] }, 'has a member of the wrong type'],
  ]
  for (const [lock, check] of cases) assert.equal(outcome({}, lock), `${INVALID} ${check}`)
})
