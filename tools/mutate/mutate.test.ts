import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { importGraph } from '../import-graph.ts'
import { parseSource } from '../tree.ts'
import { choosePlaces } from './choose.ts'
import { applyPlace, MUTANT } from './mutant.ts'
import { readOptions } from './options.ts'
import { placesOf } from './places.ts'
import { wavesOf } from './reach.ts'

/** Every way to break a text, as whole texts. */
const broken = (code: string): readonly string[] =>
  placesOf(parseSource('packages/x/src/x.ts', code)).map((place) => applyPlace(code, place))

const cases: ReadonlyArray<readonly [code: string, mutants: readonly string[]]> = [
  ['if (a) b()', ['if (true) b()', 'if (false) b()']],
  ['x = a ? b : c', ['x = true ? b : c', 'x = false ? b : c']],
  ['x = a < b', ['x = a <= b']],
  ['x = a && !b', ['x = a || !b', 'x = a && (b)']],
  ["x = a + '!'", []],
  ['x = a ?? b', ['x = a && b']],
  ["throw fail('node.gone')", ["throw fail('http.500')"]],
  ['await write(row)', ['undefined']],
  ['const row = await read()', []],
  ['const SECONDS = 30', ['const SECONDS = 31']],
  ['call({ force: true })', ['call({ force: false })']],
  ['type A = 1 | true; const a: B<2> = c', []],
]
for (const [code, mutants] of cases)
  test(`${code} is broken in ${mutants.length} ways`, () => assert.deepEqual(broken(code), mutants))

test('the same seed chooses the same places, another one others, none twice', () => {
  const places = Array.from({ length: 50 }, (_, line) => ({
    path: 'a.ts',
    start: line,
    end: line,
    replacement: '',
    kind: 'flag' as const,
    line,
  }))
  const linesOf = (seed: number): readonly number[] => choosePlaces(places, 10, seed).map(({ line }) => line)
  assert.deepEqual(linesOf(1), linesOf(1))
  assert.notDeepEqual(linesOf(1), linesOf(2))
  assert.equal(new Set(linesOf(3)).size, 10)
  assert.equal(choosePlaces(places, 99, 4).length, 50)
})

test('tests are tried in waves: those near, those of packages, those of the whole; hosts and tools never', () => {
  const files = {
    'packages/x/src/a/rules.ts': '',
    'packages/x/src/a/rules.test.ts': `import './rules.ts'`,
    'packages/x/src/a/make.ts': `import './rules.ts'`,
    'packages/x/src/b/make.ts': `import '../a/make.ts'`,
    'packages/x/src/b/make.test.ts': `import './make.ts'`,
    'tests/api/x.test.ts': `import '../../packages/x/src/b/make.ts'`,
    'tests/lab/x.test.ts': `import '../../packages/x/src/b/make.ts'`,
    'packages/x/src/c.test.ts': '',
  }
  const tree = Object.entries(files).map(([path, code]) => parseSource(path, code))
  assert.deepEqual(wavesOf(importGraph(tree, new Map()), 'packages/x/src/a/rules.ts'), [
    ['packages/x/src/a/rules.test.ts'],
    ['packages/x/src/b/make.test.ts'],
    ['tests/api/x.test.ts'],
  ])
})

test('a process reads the one file broken, whoever imports it, and its children too', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-mutant-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'limit.ts')
  const code = 'export const LIMIT: number = 30\n'
  writeFileSync(file, code)
  writeFileSync(join(folder, 'main.ts'), `import { LIMIT } from './limit.ts'\nconsole.log(LIMIT)\n`)
  const start = code.indexOf('30')
  const mutant = { file, start, end: start + 2, replacement: '31' }
  const run = (env: Readonly<Record<string, string>>): string =>
    spawnSync(process.execPath, [join(folder, 'main.ts')], {
      env: { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'hook.ts')}`, ...env },
      encoding: 'utf8',
    }).stdout.trim()
  assert.equal(run({}), '30')
  assert.equal(run({ [MUTANT]: JSON.stringify(mutant) }), '31')
})

test('options are whole numbers, and everything else is refused with the usage', () => {
  assert.deepEqual(readOptions(['packages/dns', '--count', '5', '--seed', '7', '--report']), {
    paths: ['packages/dns'],
    count: 5,
    seed: 7,
    since: undefined,
    minutes: Infinity,
    isNear: false,
    isReport: true,
  })
  for (const wrong of [
    ['--count', 'x'],
    ['--count', '0'],
    ['--seed', '1.5'],
  ])
    assert.throws(() => readOptions(wrong), /takes a whole number: npm run mutate/)
})
