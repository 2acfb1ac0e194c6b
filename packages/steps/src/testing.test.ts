import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsLog } from './logs.ts'
import { stepList } from './step-list.ts'
import type { Step } from './step.ts'
import {
  failsCleanlyAtEveryStep,
  resumesAfterEveryCrash,
  stepsAreIdempotent,
  type StepsUnderTest,
  testStepList,
} from './testing.ts'

interface World {
  readonly things: string[]
  /** What a record in the world remembers of the run. */
  readonly row: { completed: number }
}

/** Adds a thing once; its undo removes it. */
const ensure = (name: string, further: Partial<Step<World>> = {}): Step<World> => ({
  name,
  run: async ({ things }) => void (things.includes(name) || things.push(name)),
  undo: async ({ things }) => void (things.includes(name) && things.splice(things.indexOf(name), 1)),
  ...further,
})
const world = (...things: string[]): World => ({ things, row: { completed: 0 } })
const under = (...steps: readonly Step<World>[]): StepsUnderTest<World> => ({
  list: stepList('sample', steps),
  fresh: () => world(),
  view: ({ things }) => things.toSorted(),
})
const checks = [failsCleanlyAtEveryStep, stepsAreIdempotent, resumesAfterEveryCrash]
const passed = async (given: StepsUnderTest<World>): Promise<boolean[]> =>
  Promise.all(
    checks.map((check) =>
      check(given).then(
        () => true,
        () => false,
      ),
    ),
  )

testStepList(
  'sample',
  under(ensure('row'), ensure('site'), ensure('switch', { commits: true }), ensure('old')),
)

const { undo: _, ...lasting } = ensure('site')
testStepList('sample', {
  variant: 'forward only, some of it optional',
  ...under(),
  list: stepList('sample', [lasting, ensure('metrics', { isOptional: true })], { forwardOnly: true }),
})

const order = ['row', 'site', 'switch']
testStepList('sample', {
  variant: 'in a column of the record',
  ...under(),
  list: stepList(
    'sample',
    order.map((name) => ensure(name)),
  ),
  log: ({ row }) =>
    columnsLog({
      done: () => order.slice(0, row.completed),
      begun: () => order.slice(row.completed, row.completed + 1),
      on: {
        done: (step) => order.indexOf(step) + 1,
        undoing: (step) => order.indexOf(step),
      },
      write: async (completed: number) => void (row.completed = completed),
    }),
})

test('a step without the undo it needs is found', async () => {
  await assert.rejects(failsCleanlyAtEveryStep(under(ensure('row'), lasting)), /after a failure at site/)
})

test('a run that adds a second thing the second time is found', async () => {
  const more = ensure('site', { run: async ({ things }) => void things.push('site') })
  await assert.rejects(stepsAreIdempotent(under(more)), /ran twice/)
  await assert.rejects(resumesAfterEveryCrash(under(more)), /after a crash/)
})

test('an undo that removes too much the second time is found', async () => {
  const greedy = ensure('site', { undo: async ({ things }) => void things.pop() })
  const given = { ...under(greedy), fresh: () => world('earlier') }
  await assert.rejects(stepsAreIdempotent(given), /undo ran twice/)
})

test('a log that forgets what a failure undid is found', async () => {
  const given: StepsUnderTest<World> = {
    ...under(ensure('row'), ensure('site')),
    log: ({ row }) =>
      columnsLog({
        done: () => ['row', 'site'].slice(0, row.completed),
        on: { done: () => row.completed + 1 },
        write: async (completed: number) => void (row.completed = completed),
      }),
  }
  await assert.rejects(failsCleanlyAtEveryStep(given), /after a retry from/)
})

test('an optional step that stops the list, or is not reported, is found', async () => {
  const given = under(ensure('row'), ensure('metrics', { isOptional: true }))
  await assert.rejects(failsCleanlyAtEveryStep({ ...given, options: () => ({ kindOf: () => 'final' }) }))
})

test('an empty list proves nothing', async () => {
  assert.deepEqual(await passed(under()), [false, false, false])
})
