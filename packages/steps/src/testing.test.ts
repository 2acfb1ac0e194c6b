import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Step } from './step.ts'
import {
  failsCleanlyAtEveryStep,
  resumesAfterEveryCrash,
  stepsAreIdempotent,
  type StepsUnderTest,
} from './testing.ts'

interface World {
  readonly things: string[]
}

/** Adds a thing once; its undo takes it away. */
const ensure = (name: string, further: Partial<Step<World>> = {}): Step<World> => ({
  name,
  run: async ({ things }) => void (things.includes(name) || things.push(name)),
  undo: async ({ things }) => void (things.includes(name) && things.splice(things.indexOf(name), 1)),
  ...further,
})
const under = (...steps: readonly Step<World>[]): StepsUnderTest<World> => ({
  steps,
  fresh: () => ({ things: [] }),
  view: ({ things }) => things.toSorted(),
})
const checks = [failsCleanlyAtEveryStep, stepsAreIdempotent, resumesAfterEveryCrash]
const good = under(ensure('row'), ensure('site'), ensure('switch', { commits: true }), ensure('old'))
const passed = async (given: StepsUnderTest<World>): Promise<boolean[]> =>
  Promise.all(
    checks.map((check) =>
      check(given).then(
        () => true,
        () => false,
      ),
    ),
  )

test('a proper list passes all three checks', async () => {
  for (const check of checks) await check(good)
})

test('a step without the undo it needs is found', async () => {
  const { undo: _, ...lasting } = ensure('site')
  await assert.rejects(failsCleanlyAtEveryStep(under(ensure('row'), lasting)), /after a failure at site/)
})

test('a run that adds a second thing the second time is found', async () => {
  const twice = ensure('site', { run: async ({ things }) => void things.push('site') })
  await assert.rejects(stepsAreIdempotent(under(twice)), /ran twice/)
  await assert.rejects(resumesAfterEveryCrash(under(twice)), /after a crash/)
})

test('an undo that takes away too much the second time is found', async () => {
  const greedy = ensure('site', { undo: async ({ things }) => void things.pop() })
  const given = { ...under(greedy), fresh: () => ({ things: ['earlier'] }) }
  await assert.rejects(stepsAreIdempotent(given), /undo ran twice/)
})

test('an empty list proves nothing', async () => {
  assert.deepEqual(await passed(under()), [false, false, false])
})
