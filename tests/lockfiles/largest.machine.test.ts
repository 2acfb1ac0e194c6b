// The worst files that the limits let through: each is read or refused within a bound of processor time and memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS, readDependencies } from '@fleet/lockfiles'
import { sampled } from '@fleet/testing/sample'

type Files = Readonly<Record<string, string>>

const CPU_SECONDS = 20
const MANY = 100_000

const most = (part: string): string => part.repeat(Math.floor(LIMITS.lockMaxBytes / part.length) - 8)
const lines = (count: number, line: (at: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, at) => line(at)).join(between)
const npm = (packages: object): Files => ({
  'package.json': '{}',
  'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
})
const pnpm = (text: string): Files => ({ 'package.json': '{}', 'pnpm-lock.yaml': text })
const bun = (text: string): Files => ({ 'package.json': '{}', 'bun.lock': text })
const composer = (packages: readonly object[]): Files => ({
  'composer.json': '{}',
  'composer.lock': JSON.stringify({ packages }),
})
const entries = (count: number, entry: (at: number) => [string, unknown]): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => entry(at)))

const nested = Array.from({ length: LIMITS.nestedPackages }, (_, at) => `node_modules/p${at}`)

const FILES: Readonly<Record<string, () => Files>> = {
  'ranges of aliases': () =>
    npm({
      'node_modules/r': {
        version: '1.0.0',
        optionalDependencies: entries(22_000, (at) => [`n${at}`, `npm:r@${at}||${'1||'.repeat(78)}1`]),
      },
      ...entries(22_000, (at) => [`node_modules/n${at}`, { name: 'r', version: '0.0.1' }]),
    }),
  'lookups from deep inside': () =>
    npm(
      Object.fromEntries(
        nested.map((_, at) => [
          nested.slice(0, at + 1).join('/'),
          {
            version: '1.0.0',
            optionalDependencies: at === 99 ? entries(199_000, (n) => [`q${n}`, '*']) : {},
          },
        ]),
      ),
    ),
  'a cycle through every package': () =>
    npm(
      entries(50_000, (at) => [
        `node_modules/p${at}`,
        { version: '1', dependencies: { [`p${(at + 1) % 50_000}`]: '*' } },
      ]),
    ),
  'stand-ins for one name': () =>
    composer(
      Array.from({ length: 20_000 }, (_, at) => ({
        name: `a/p${at}`,
        version: '1',
        provide: { 'v/x': '1' },
        require: { 'v/x': '1' },
      })),
    ),
  'overrides of every dependency': () => ({
    'package.json': JSON.stringify({ dependencies: entries(30_000, (at) => [`a${at}`, '1']) }),
    'pnpm-lock.yaml': JSON.stringify({
      lockfileVersion: '9.0',
      importers: {
        '.': { dependencies: entries(30_000, (at) => [`a${at}`, { specifier: '2', version: '1' }]) },
      },
      overrides: entries(100_000, (at) => [`a${at}`, '2']),
    }),
  }),
  'brackets of JSON': () => ({ 'package.json': '{}', 'package-lock.json': most('[') }),
  'escapes of JSON': () => ({ 'package.json': '{}', 'package-lock.json': `"${most('\\"')}"` }),
  'comments of JSON': () => bun(most('/**/')),
  'comments without an end': () => bun(most('/*')),
  'trailing commas': () => bun(`[${most('[1,],')}]`),
  'brackets of YAML': () => pnpm(most('{')),
  'lists of YAML inside each other': () => pnpm(most('- ')),
  'keys of YAML': () => pnpm(lines(700_000, (at) => `k${at}: 1`)),
  'anchors of YAML': () => pnpm(lines(400_000, (at) => `k${at}: &a${at} 1`)),
  'aliases of YAML': () =>
    pnpm(`a0: &a0 [x,x]\n${lines(60, (at) => `a${at + 1}: &a${at + 1} [*a${at},*a${at}]`)}`),
  'documents of YAML': () => pnpm(most('---\n')),
  'a text of YAML over many lines': () => pnpm(`a: "${most('b\n ')}"`),
  'empty lines in a text of YAML': () => pnpm(`a: "${most('\n')}"`),
  'a number of YAML': () => pnpm(`a: ${most('1')}`),
  'groups in a key of pnpm': () =>
    pnpm(`lockfileVersion: '9.0'\nimporters:\n  .: {}\nsnapshots:\n  'a@1${'()'.repeat(8000)}': {}\n`),
  '100,000 packages of npm': () => npm(entries(MANY, (at) => [`node_modules/p${at}`, { version: '1' }])),
  '100,000 packages of pnpm': () =>
    pnpm(
      `lockfileVersion: '9.0'\nimporters: {.: {}}\npackages:\n${lines(MANY, (at) => ` p${at}@1: {resolution: {}}`)}\nsnapshots:\n${lines(MANY, (at) => ` p${at}@1: {}`)}`,
    ),
  '100,000 packages of Bun': () =>
    bun(
      `{"lockfileVersion":1,"workspaces":{"":{}},"packages":{${lines(MANY, (at) => `"p${at}":["p${at}@1"]`, ',')}}}`,
    ),
  '100,000 packages of Composer': () =>
    composer(Array.from({ length: MANY }, (_, at) => ({ name: `a/p${at}`, version: '1' }))),
}

for (const [name, make] of sampled(Object.entries(FILES), 4))
  test(`${name} are read or refused in bounded time`, async () => {
    const files = make()
    // The runner shows nothing of tests that never give way.
    await new Promise(setImmediate)
    const before = process.cpuUsage()
    const { composer: php, javascript } = readDependencies(files)
    const { user, system } = process.cpuUsage(before)
    for (const reading of [php, javascript])
      assert.ok(
        reading.status !== 'failed' || reading.check !== 'reader',
        JSON.stringify(reading).slice(0, 300),
      )
    assert.ok((user + system) / 1e6 < CPU_SECONDS, `${(user + system) / 1e6} s`)
  })
