import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { importGraph } from '../import-graph.ts'
import { parseSource } from '../tree.ts'
import { choosePlaces } from './choose.ts'
import { bodiesOf, bodyAround, marked } from './bodies.ts'
import { applyPlace, MUTANT } from './mutant.ts'
import { readOptions } from './options.ts'
import { placesOf } from './places.ts'
import { reachOf } from './reach.ts'
import { reachedBy } from './reached.ts'
import { Trial } from './try-place.ts'

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

test('near tests are tried first, then those of packages, then those of the whole; hosts and tools never', () => {
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
  assert.deepEqual(reachOf(importGraph(tree, new Map()), 'packages/x/src/a/rules.ts'), {
    nearest: ['packages/x/src/a/rules.test.ts'],
    near: ['packages/x/src/a/rules.test.ts'],
    far: ['packages/x/src/b/make.test.ts', 'tests/api/x.test.ts'],
  })
})

test('the tests of a domain are near to all its files', () => {
  const files = {
    'packages/fleet/src/a/steps/one.ts': '',
    'packages/fleet/src/a/list.ts': `import './steps/one.ts'`,
    'packages/fleet/src/a/make.ts': `import './list.ts'`,
    'packages/fleet/src/a/make.test.ts': `import './make.ts'`,
    'packages/fleet/src/b/make.test.ts': `import '../a/make.ts'`,
  }
  const tree = Object.entries(files).map(([path, code]) => parseSource(path, code))
  assert.deepEqual(reachOf(importGraph(tree, new Map()), 'packages/fleet/src/a/steps/one.ts'), {
    nearest: ['packages/fleet/src/a/make.test.ts'],
    near: ['packages/fleet/src/a/make.test.ts'],
    far: ['packages/fleet/src/b/make.test.ts'],
  })
})

test('the nearest tests are six quick ones, those named like the file first', () => {
  const files = {
    'packages/fleet/src/a/move.ts': '',
    'packages/fleet/src/a/move-back.test.ts': `import './make.ts'`,
    'packages/fleet/src/a/move.machine.test.ts': `import './move.ts'`,
    'packages/fleet/src/a/make.ts': `import './move.ts'`,
    ...Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((at) => [`packages/fleet/src/a/at-${at}.test.ts`, `import './move.ts'`]),
    ),
  }
  const tree = Object.entries(files).map(([path, code]) => parseSource(path, code))
  const { near, nearest } = reachOf(importGraph(tree, new Map()), 'packages/fleet/src/a/move.ts')
  assert.equal(near.length, 8)
  assert.deepEqual(
    nearest.map((path) => path.slice('packages/fleet/src/a/'.length)),
    ['move-back.test.ts', ...[1, 2, 3, 4, 5].map((at) => `at-${at}.test.ts`)],
  )
})

test('each function is marked with its number, and the innermost one around a place is found', () => {
  const code =
    'const f = (a) => (b) => a + b\nfunction g() { return [1].map((x) => ({ x })) }\nconst LIMIT = 30\n'
  const bodies = bodiesOf(parseSource('packages/x/src/x.ts', code))
  assert.equal(
    marked(code, bodies, (at) => `hit(${at})`),
    'const f = (a) => (hit(0), (b) => (hit(1), a + b))\nfunction g() {hit(2); return [1].map((x) => (hit(3), ({ x }))) }\nconst LIMIT = 30\n',
  )
  const around = (text: string) => {
    const start = code.indexOf(text)
    return bodies.findIndex((body) => body === bodyAround(bodies, { start, end: start + text.length }))
  }
  assert.deepEqual(['a + b', '[1]', '{ x }', '30'].map(around), [1, 2, 3, -1])
})

test('a test is known to run a function, also in a process that it starts, and another one is known not to', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-marks-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const code =
    'export const one = (): number => 1\nexport const two = (): number => 2\nexport const LIMIT = 30\n'
  const files = {
    'x.ts': code,
    'program.ts': `import { two } from './x.ts'\ntwo()\n`,
    'a.test.ts': `import { test } from 'node:test'\nimport { one } from './x.ts'\ntest('a', () => void one())\n`,
    'b.test.ts': `import './x.ts'\nimport { spawnSync } from 'node:child_process'\nimport { test } from 'node:test'\ntest('b', () => void spawnSync(process.execPath, [import.meta.dirname + '/program.ts']))\n`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const signal = new AbortController().signal
  const reached = await reachedBy([parseSource('x.ts', code)], ['a.test.ts', 'b.test.ts'], {
    root: folder,
    seed: 1,
    env: process.env,
    signal,
  })
  const testsOf = (text: string) => {
    const start = code.indexOf(text)
    return reached({
      path: 'x.ts',
      line: 1,
      start,
      end: start + 1,
      replacement: '',
      kind: 'limit',
    }).toSorted()
  }
  assert.deepEqual([testsOf('1\n'), testsOf('2\n')], [['a.test.ts'], ['b.test.ts']])
  assert.deepEqual(testsOf('30'), ['a.test.ts', 'b.test.ts'])
})

test('what runs before the first test of a process belongs to all its test files', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-marks-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const code = 'export const one = (): number => 1\nexport const two = (): number => 2\n'
  const files = {
    'x.ts': code,
    'a.test.ts': `import { before, test } from 'node:test'\nimport { one } from './x.ts'\nbefore(() => void one())\ntest('a', () => {})\n`,
    'b.test.ts': `import { test } from 'node:test'\nimport { two } from './x.ts'\ntwo()\ntest('b', () => {})\n`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const tests = ['a.test.ts', 'b.test.ts']
  const { signal } = new AbortController()
  const options = { root: folder, seed: 1, env: process.env, signal }
  const reached = await reachedBy([parseSource('x.ts', code)], tests, options)
  for (const text of ['1', '2']) {
    const start = code.indexOf(text)
    const place = { path: 'x.ts', line: 1, start, end: start + 1, replacement: '', kind: 'limit' } as const
    assert.deepEqual(reached(place).toSorted(), tests)
  }
})

test('tests of a process that ended early are not taken for tests that run nothing', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-marks-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const code = 'export const one = (): number => 1\n'
  const files = {
    'x.ts': code,
    'a.test.ts': `import { test } from 'node:test'\nimport './x.ts'\ntest('a', () => process.kill(process.pid, 'SIGKILL'))\n`,
    'b.test.ts': `import { test } from 'node:test'\nimport { one } from './x.ts'\ntest('b', () => void one())\n`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const tests = ['a.test.ts', 'b.test.ts']
  const { signal } = new AbortController()
  const options = { root: folder, seed: 1, env: process.env, signal }
  const reached = await reachedBy([parseSource('x.ts', code)], tests, options)
  const start = code.indexOf('1')
  const place = { path: 'x.ts', line: 1, start, end: start + 1, replacement: '2', kind: 'limit' } as const
  assert.deepEqual(reached(place).toSorted(), tests)
})

test('a place outside functions belongs to the tests that run who imports its file', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-marks-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const limit = 'export const LIMIT = 30\n'
  const user = `import { LIMIT } from './limit.ts'\nexport const used = (): number => LIMIT\n`
  const files = {
    'limit.ts': limit,
    'user.ts': user,
    'a.test.ts': `import { test } from 'node:test'\nimport { used } from './user.ts'\ntest('a', () => void used())\n`,
    'b.test.ts': `import { test } from 'node:test'\nimport './user.ts'\ntest('b', () => {})\n`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const { signal } = new AbortController()
  const options = { root: folder, seed: 1, env: process.env, signal }
  const sources = [parseSource('limit.ts', limit), parseSource('user.ts', user)]
  const reached = await reachedBy(sources, ['a.test.ts', 'b.test.ts'], options)
  const start = limit.indexOf('30')
  const place = {
    path: 'limit.ts',
    line: 1,
    start,
    end: start + 2,
    replacement: '31',
    kind: 'limit',
  } as const
  assert.deepEqual(reached(place, ['user.ts']), ['a.test.ts'])
  assert.deepEqual(reached(place), ['a.test.ts', 'b.test.ts'])
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
    isEach: false,
    isReport: true,
  })
  for (const wrong of [
    ['--count', 'x'],
    ['--count', '0'],
    ['--seed', '1.5'],
  ])
    assert.throws(() => readOptions(wrong), /takes a whole number: npm run mutate/)
})

test('of a broken place the slow tests run last, and only the file of the failed test has to pass unbroken', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-trial-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const code = 'export const LIMIT = 30\n'
  const testing = (body: string): string =>
    `import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { LIMIT } from './x.ts'\n${body}\n`
  const files = {
    'x.ts': code,
    'a.test.ts': testing(`test('a', () => assert.equal(LIMIT, 30))`),
    'b.machine.test.ts': testing(`test('b', () => assert.fail('always'))`),
    'c.test.ts': testing(`test('c', () => void LIMIT)`),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const { signal } = new AbortController()
  const trial = new Trial({ root: folder, seed: 1, env: process.env, signal })
  const start = code.indexOf('30')
  const place = { path: 'x.ts', line: 1, start, end: start + 2, replacement: '31', kind: 'limit' } as const
  const all = Object.keys(files).filter((name) => name.endsWith('.test.ts'))
  assert.deepEqual(await trial.place(place, all), { state: 'noticed', by: 'a' })
  assert.deepEqual(await trial.place(place, ['b.machine.test.ts']), { state: 'unclear', by: 'b' })
  assert.equal(await trial.place(place, ['c.test.ts']), undefined)
})
