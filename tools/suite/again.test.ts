import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedFiles, MOST_AGAIN, tryAgain, tryFailedAgain } from './again.ts'
import type { Chunk } from './chunks.ts'
import type { Failure, Outcome } from './outcome.ts'
import { report } from './tell.ts'

const chunk: Chunk = { name: 'unit 1', files: ['a.test.ts', 'b.test.ts', 'c.test.ts'], env: { X: '1' } }
const failure = (name: string, place: string): Failure => ({ name, place, error: `Error: ${name}` })
const outcome = (passed: number, failures: readonly Failure[]): Outcome => ({
  passed,
  failures,
  skipped: new Map(),
  slow: [],
})

/** What was run again, and what came of it. */
async function again(first: Outcome, second: Outcome) {
  const ran: Chunk[] = []
  const result = await tryAgain(chunk, first, async (one) => {
    ran.push(one)
    return second
  })
  return { ran, result }
}

test('what failed runs once more in the files of its tests, and passes as unsteady', async () => {
  const first = outcome(7, [
    failure('late', 'b.test.ts:3 (unit 1)'),
    failure('later', 'b.test.ts:9 (unit 1)'),
  ])
  const { ran, result } = await again(first, outcome(4, []))
  assert.deepEqual(ran, [{ ...chunk, name: 'unit 1 again', files: ['b.test.ts'] }])
  assert.deepEqual([result.passed, result.failures], [9, []])
  assert.deepEqual(report([result]).slice(0, 2), [
    'UNSTEADY, passed when it was run once more: late',
    '    b.test.ts:3 (unit 1)\n    Error: late',
  ])
})

test('what fails twice has failed, and so has what fails only the second time', async () => {
  const first = outcome(7, [
    failure('broken', 'a.test.ts:1 (unit 1)'),
    failure('late', 'a.test.ts:5 (unit 1)'),
  ])
  const second = outcome(3, [failure('broken', 'a.test.ts:1 (unit 1 again)'), failure('new', 'a.test.ts:8')])
  const { result } = await again(first, second)
  assert.deepEqual(
    result.failures.map(({ name }) => name),
    ['broken', 'new'],
  )
  assert.deepEqual([result.passed, result.unsteady?.map(({ name }) => name)], [8, ['late']])
})

test('a process that ended or stayed runs again whole', async () => {
  const first = outcome(20, [failure('unit 1: the test process said nothing for 90 seconds', '')])
  const { ran, result } = await again(first, outcome(30, []))
  assert.deepEqual(ran[0]?.files, chunk.files)
  assert.deepEqual([result.passed, result.failures.length, result.unsteady?.length], [30, 0, 1])
})

test('a process that stayed after a failed test has run all of them: the files of what failed run again, no others', async () => {
  const open = failure('unit 1: the test process did not end by itself: a test left something open', '')
  const late = failure('late', 'b.test.ts:3 (unit 1)')
  const left: Outcome = { ...outcome(20, [late, open]), isLeftOpen: true }
  const passed = await again(left, outcome(2, []))
  assert.deepEqual(
    passed.ran.map(({ files }) => files),
    [['b.test.ts']],
  )
  assert.deepEqual([passed.result.passed, passed.result.failures], [21, []])
  assert.deepEqual(passed.result.unsteady, [late, open])
  const twice = await again(left, { ...left, passed: 1 })
  assert.deepEqual(twice.result.failures, [late, open])
  const alone = await again({ ...outcome(20, [open]), isLeftOpen: true }, outcome(20, []))
  assert.deepEqual(alone.ran[0]?.files, chunk.files, 'nobody knows who left it')
})

test('where the second process dies too, what failed has failed', async () => {
  const died = (name: string) => failure(`${name}: the test process said nothing for 90 seconds`, '')
  for (const before of [failure('late', 'a.test.ts:5 (unit 1)'), died('unit 1')]) {
    const { result } = await again(outcome(7, [before]), outcome(3, [died('unit 1 again')]))
    assert.deepEqual(
      result.failures.map(({ name }) => name),
      [before.name, died('unit 1 again').name],
    )
    assert.deepEqual([result.passed, result.unsteady], [7, undefined])
  }
})

test('nothing runs again where nothing failed, or where much did', async () => {
  assert.deepEqual((await again(outcome(3, []), outcome(0, []))).ran, [])
  const files = Array.from({ length: MOST_AGAIN + 2 }, (_, at) => `${at}.test.ts`)
  const broken = outcome(
    1,
    files.slice(1).map((file) => failure(file, `${file}:1 (unit 1)`)),
  )
  assert.equal(failedFiles({ ...chunk, files }, broken).length, MOST_AGAIN + 1)
  const never = (): never => assert.fail('it ran again')
  assert.equal(await tryAgain({ ...chunk, files }, broken, never), broken)
})

test('of a run the few parts that failed are tried, one after the other, and none of many', async () => {
  const late = outcome(1, [failure('late', 'a.test.ts:1 (unit)')])
  const ran = (failed: number) =>
    Array.from({ length: 9 }, (_, at) => ({
      chunk: { ...chunk, name: `unit ${at}` },
      outcome: at < failed ? late : outcome(1, []),
    }))
  const tried: string[] = []
  let atOnce = 0
  const run = async ({ name }: Chunk): Promise<Outcome> => {
    assert.equal((atOnce += 1), 1)
    tried.push(name)
    await Promise.resolve()
    atOnce -= 1
    return outcome(1, [])
  }
  const outcomes = await tryFailedAgain(ran(MOST_AGAIN), run)
  assert.deepEqual(
    tried,
    Array.from({ length: MOST_AGAIN }, (_, at) => `unit ${at} again`),
  )
  assert.ok(outcomes.length === 9 && outcomes.every(({ failures }) => failures.length === 0))
  const many = await tryFailedAgain(ran(MOST_AGAIN + 1), () => assert.fail('it ran again'))
  assert.equal(many.filter(({ failures }) => failures.length > 0).length, MOST_AGAIN + 1)
})
