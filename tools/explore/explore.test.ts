import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { explore, type Probe } from './explore.ts'
import { labProbes, mutationProbe, suiteProbes } from './probes.ts'
import { runProgram } from './program.ts'

const REST = { place: 'a.test.ts:1', error: 'AssertionError\n1 !== 2' }

test('probes take turns, each with another seed; what fails is printed with its seed and how to repeat it', async () => {
  const end = new AbortController()
  const seeds = [11, 12, 13, 14, 15].values()
  const ran: string[] = []
  const probe = (name: string, bad: number): Probe => ({
    name,
    run: async (seed) => {
      ran.push(`${name} ${seed}`)
      if (seed === 15) end.abort()
      return seed === bad ? [{ name: 'a test', ...REST }] : []
    },
    repeat: (seed) => `FLEET_TEST_SEED=${seed} npm test -- --part '${name}'`,
  })
  const lines: string[] = []
  const found = await explore({
    probes: [probe('one', 13), probe('two', 0)],
    nextSeed: () => seeds.next().value ?? 0,
    end: end.signal,
    print: (line) => lines.push(line),
  })
  assert.deepEqual(ran, ['one 11', 'two 12', 'one 13', 'two 14', 'one 15'])
  assert.deepEqual(found, { tried: 4, failed: 1 })
  assert.deepEqual(lines, [
    'FOUND one, seed 13',
    `  repeat: FLEET_TEST_SEED=13 npm test -- --part 'one'`,
    '  a test',
    '    a.test.ts:1',
    '    AssertionError\n    1 !== 2',
  ])
})

test('what the end of the time cut off is no finding', async () => {
  const end = new AbortController()
  const cut: Probe = {
    name: 'cut',
    run: async () => {
      end.abort()
      return [{ name: 'the test process was stopped', ...REST }]
    },
    repeat: () => '',
  }
  const lines: string[] = []
  const found = await explore({
    probes: [cut],
    nextSeed: () => 1,
    end: end.signal,
    print: (line) => lines.push(line),
  })
  assert.deepEqual([found, lines], [{ tried: 0, failed: 0 }, []])
})

function tree(context: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'fleet-explore-'))
  context.after(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

test('a property that fails for some seeds is found under its seed, and again under the same', async (context) => {
  const root = tree(context, {
    'packages/x/src/odd.test.ts': `
      import { test } from 'node:test'
      const source = 'fast-check'
      test('the seed is even', () => {
        if (Number(process.env['FLEET_TEST_SEED']) % 2 === 1) throw new Error('odd')
      })`,
    'packages/x/src/plain.test.ts': `import { test } from 'node:test'\ntest('plain', () => {})`,
  })
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const probes = suiteProbes({ root, env }, 1, false)
  const [properties] = probes
  assert.equal(properties?.repeat(3), 'FLEET_TEST_SEED=3 npm test -- packages/x/src/odd.test.ts')
  const namesFor = async (seed: number): Promise<readonly string[]> =>
    ((await properties?.run(seed, context.signal)) ?? []).map(({ name }) => name)
  assert.deepEqual(
    [await namesFor(3), await namesFor(4), await namesFor(3)],
    [['the seed is even'], [], ['the seed is even']],
  )
  assert.deepEqual(
    probes.map(({ name }) => name),
    ['properties', 'order of unit 1', 'properties', 'order of unit 2'],
  )
})

test('sweeps on hosts are the files that take a sample', (context) => {
  const root = tree(context, {
    'tests/lab/a.test.ts': `import { sampled } from '@fleet/testing/sample'`,
    'tests/lab/b.test.ts': `import { test } from 'node:test'`,
  })
  const probes = labProbes(root, ['tests/lab/a.test.ts', 'tests/lab/b.test.ts'])
  assert.deepEqual(
    probes.map(({ name, repeat }) => [name, repeat(5)]),
    [['faults of tests/lab/a.test.ts', 'FLEET_TEST_SEED=5 npm run test:lab -- tests/lab/a.test.ts']],
  )
})

test('mutations draw from the seed, and are repeated by it', async (context) => {
  const root = tree(context, {
    'tools/mutate.ts': `console.log(process.argv.slice(2).join(' ')); process.exitCode = 1`,
  })
  const [found] = await mutationProbe(root).run(7, context.signal)
  assert.equal(found?.error, 'packages/ apps/ --count 3 --seed 7\n')
  assert.equal(mutationProbe(root).repeat(7), 'npm run mutate -- packages/ apps/ --count 3 --seed 7')
})

test('a program that fails is one failure with the last of what it printed, and one that succeeds none', async (context) => {
  const root = tree(context, {
    'good.mjs': '',
    'bad.mjs': `console.log(process.env.WHO); process.exitCode = 1`,
  })
  assert.deepEqual(await runProgram(root, ['good.mjs'], {}, context.signal), [])
  assert.deepEqual(await runProgram(root, ['bad.mjs'], { WHO: 'me' }, context.signal), [
    { name: 'bad.mjs ended with status 1', place: '', error: 'me\n' },
  ])
})
