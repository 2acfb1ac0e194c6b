import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import { pino } from 'pino'
import { every } from './every.ts'

/** A job of 15 s whose runs end as the test says. */
function begin(firstSeconds?: number) {
  const clock = new FakeClock()
  const start = clock.ticks()
  const ending = new AbortController()
  const logged: Array<Record<string, unknown>> = []
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>) // A line of pino.
  const log = pino({ base: null, timestamp: false }, { write })
  const runs: Array<PromiseWithResolvers<void> & { readonly second: number }> = []
  const task = (): Promise<void> => {
    const run = { ...Promise.withResolvers<void>(), second: (clock.ticks() - start) / 1000 }
    runs.push(run)
    return run.promise
  }
  const ended = every(15, 'a test', task, { clock, signal: ending.signal, log }, firstSeconds)
  const pass = async (seconds: number): Promise<void> => {
    await nextTurn()
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000)
      await nextTurn()
    }
  }
  return { runs, logged, ended, pass, end: () => ending.abort() }
}

test('a job runs after its seconds, waits for each run, and leaves one that failed to the log', async () => {
  const { runs, logged, ended, pass, end } = begin()
  await pass(40)
  assert.deepEqual(
    runs.map(({ second }) => second),
    [15],
  )
  runs[0]?.reject(new Error('no database'))
  await pass(15)
  assert.deepEqual(
    runs.map(({ second }) => second),
    [15, 55],
  )
  assert.deepEqual(
    logged.map(({ job, msg }) => [job, msg]),
    [['a test', 'a job failed']],
  )
  runs[1]?.resolve()
  end()
  await ended
  assert.equal(runs.length, 2)
})

test('the first run of a job may come sooner than the others, and none once the gateway ends', async () => {
  const { runs, ended, pass, end } = begin(2)
  await pass(2)
  runs[0]?.resolve()
  await pass(14)
  assert.deepEqual(
    runs.map(({ second }) => second),
    [2],
  )
  end()
  await ended
  assert.equal(runs.length, 1)
})
