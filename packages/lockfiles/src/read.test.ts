import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composerOf, javascriptOf, outcomeOf, read } from './fixtures.ts'
import { LIMITS, SOURCE_FILES } from './index.ts'

const NPM = { 'package.json': {}, 'package-lock.json': { lockfileVersion: 3, packages: {} } }
const COMPOSER = { 'composer.json': {}, 'composer.lock': { packages: [] } }

const outcomes = (files: Readonly<Record<string, unknown>>): readonly string[] => {
  const { composer, javascript } = read(files)
  return [outcomeOf(composer), outcomeOf(javascript)]
}

test('an ecosystem without manifest and lock is absent; one may fail while the other is read', () => {
  assert.deepEqual(outcomes({}), ['absent', 'absent'])
  assert.deepEqual(outcomes({ 'bunfig.toml': '' }), ['absent', 'absent'])
  assert.deepEqual(outcomes(NPM), ['absent', 'read'])
  assert.deepEqual(outcomes({ ...NPM, ...COMPOSER }), ['read', 'read'])
  assert.deepEqual(outcomes({ ...NPM, 'composer.json': {} }), [
    'dependencies.incomplete_source: composer.lock is missing',
    'read',
  ])
  assert.deepEqual(outcomes({ ...COMPOSER, 'package-lock.json': {} }), [
    'read',
    'dependencies.incomplete_source: package.json is missing',
  ])
  assert.deepEqual(outcomes({ 'composer.lock': {} }), [
    'dependencies.incomplete_source: composer.json is missing',
    'absent',
  ])
})

test('each reader has a code of its own for invalid data, and so has a manifest [DEX-023]', () => {
  const lock = (name: string, text: string): string =>
    outcomeOf(javascriptOf({ 'package.json': {}, [name]: text }))
  for (const [name, code] of [
    ['package-lock.json', 'dependencies.invalid_npm_input'],
    ['npm-shrinkwrap.json', 'dependencies.invalid_npm_input'],
    ['bun.lock', 'dependencies.invalid_bun_input'],
  ] as const) {
    assert.equal(lock(name, '{'), `${code}: ${name} is not valid JSON`)
    assert.equal(lock(name, '[]'), `${code}: ${name} has a member of the wrong type`)
    assert.equal(lock(name, '{"a":{"b":1,"b":1}}'), `${code}: ${name} has a key twice in one object`)
  }
  for (const text of ['a: {', 'a: 1\na: 2', 'a: &x 1\nb: *x', 'a: !!js/function x', '\ta: 1'])
    assert.equal(
      lock('pnpm-lock.yaml', text),
      'dependencies.invalid_pnpm_input: pnpm-lock.yaml is not valid YAML, or uses aliases, tags or duplicate keys',
    )
  assert.equal(
    outcomeOf(composerOf({ 'composer.json': '{}', 'composer.lock': '{"packages":[],"packages":[]}' })),
    'dependencies.invalid_composer_input: composer.lock has a key twice in one object',
  )
  for (const [text, check] of [
    ['{"dependencies":{"a":"1","a":"2"}}', 'has a key twice in one object'],
    ['{"scripts":{"x":{"a":1,"\\u0061":2}}}', 'has a key twice in one object'],
    ['{"a":1,}', 'is not valid JSON'],
    ['{"dependencies":{"a":1}}', 'has a member of the wrong type'],
    ['{"dependencies":{"../a":"1"}}', 'has a name that no package can have'],
    ['{"packageManager":7}', 'has a member of the wrong type'],
    ['null', 'has a member of the wrong type'],
  ] as const)
    assert.equal(
      outcomeOf(javascriptOf({ 'package.json': text, 'bun.lock': '{}' })),
      `dependencies.invalid_manifest: package.json ${check}`,
    )
  assert.equal(
    outcomeOf(composerOf({ 'composer.json': '{"require":{"php":"8","php":"9"}}', 'composer.lock': '{}' })),
    'dependencies.invalid_manifest: composer.json has a key twice in one object',
  )
})

test('a manifest of 1 MiB, a lock of 8 MiB and files of 32 MiB together are the most that is read [DEX-029]', () => {
  const padded = (text: string, bytes: number): string => text + ' '.repeat(bytes - text.length)
  const files = (manifest: number, lock: number): readonly string[] =>
    outcomes({
      'package.json': padded('{}', manifest),
      'package-lock.json': padded('{"lockfileVersion":3,"packages":{}}', lock),
    })
  const [oneMore, eightMore] = [LIMITS.manifestMaxBytes + 1, LIMITS.lockMaxBytes + 1]
  assert.deepEqual(files(1024 * 1024, 8 * 1024 * 1024), ['absent', 'read'])
  assert.deepEqual(files(oneMore, 50), [
    'absent',
    'dependencies.invalid_manifest: package.json is larger than its limit',
  ])
  assert.deepEqual(files(50, eightMore), [
    'absent',
    'dependencies.invalid_npm_input: package-lock.json is larger than its limit',
  ])
  const many = { ...NPM, 'composer.json': '{}', 'composer.lock': '{"packages":[]}' }
  const strays = (bytes: number): object => ({
    'bun.lock': new Uint8Array(8 * 1024 * 1024),
    'pnpm-lock.yaml': new Uint8Array(8 * 1024 * 1024),
    'npm-shrinkwrap.json': padded('{"lockfileVersion":3,"packages":{}}', 8 * 1024 * 1024),
    'yarn.lock': new Uint8Array(bytes),
  })
  const packageManager = { 'package.json': { packageManager: 'npm@11.0.0' } }
  assert.deepEqual(outcomes({ ...many, ...packageManager, ...strays(7 * 1024 * 1024) }), ['read', 'read'])
  const refused = 'dependencies.source_unavailable: All files are larger together than their limit'
  assert.deepEqual(outcomes({ ...many, ...packageManager, ...strays(8 * 1024 * 1024) }), [refused, refused])
})

test('sizes are bytes, and bytes that are no UTF-8 are invalid', () => {
  const wide = `{"name":"${'ö'.repeat(LIMITS.manifestMaxBytes / 2)}"}`
  assert.ok(wide.length < LIMITS.manifestMaxBytes)
  for (const content of [wide, new TextEncoder().encode(wide)])
    assert.match(outcomeOf(javascriptOf({ ...NPM, 'package.json': content })), /is larger than its limit$/)
  assert.equal(
    outcomeOf(javascriptOf({ ...NPM, 'package.json': new Uint8Array([0x7b, 0xff, 0x7d]) })),
    'dependencies.invalid_manifest: package.json is not UTF-8',
  )
  assert.equal(outcomeOf(javascriptOf({ ...NPM, 'package.json': '\uFEFF{}' })), 'read')
})

test('at most 50,000 packages, 200,000 requirements and texts of 16 KiB are read of at most 64 files [DEX-031]', () => {
  const packages = (count: number, more: object = {}): string =>
    outcomeOf(
      javascriptOf({
        'package.json': {},
        'package-lock.json': {
          lockfileVersion: 3,
          packages: Object.fromEntries(
            Array.from({ length: count }, (_, at) => [`node_modules/p${at}`, { version: '1', ...more }]),
          ),
        },
      }),
    )
  const invalid = 'dependencies.invalid_npm_input: package-lock.json'
  assert.equal(packages(50_000), 'read')
  assert.equal(packages(50_001), `${invalid} has more packages than can be stored`)
  const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, '*']))
  assert.equal(packages(10_000, { dependencies: twenty }), 'read')
  assert.equal(
    packages(10_001, { dependencies: twenty }),
    `${invalid} has more requirements than can be stored`,
  )
  assert.equal(packages(1, { version: 'v'.repeat(16_384) }), 'read')
  for (const version of ['v'.repeat(16_385), 'ö'.repeat(8193), '1\n', '\uD800'])
    assert.equal(packages(1, { version }), `${invalid} has a text that is too long or not printable`)
  assert.ok(SOURCE_FILES.length <= 64)
})

test('what is asked for has a bound for each file, and 0 where it only matters that it exists', () => {
  assert.deepEqual(
    SOURCE_FILES.filter(({ maxBytes }) => maxBytes > 0).map(({ name, maxBytes }) => [
      name,
      maxBytes / 1024 / 1024,
    ]),
    [
      ['composer.json', 1],
      ['composer.lock', 8],
      ['package.json', 1],
      ['npm-shrinkwrap.json', 8],
      ['package-lock.json', 8],
      ['pnpm-lock.yaml', 8],
      ['bun.lock', 8],
      ['pnpm-workspace.yaml', 1],
    ],
  )
})
