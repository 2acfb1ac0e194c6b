import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryLog } from './memory-log.ts'
import { runSteps } from './run-steps.ts'
import { StepFailure } from './step-failure.ts'
import type { Step, StepLog } from './step.ts'

const boom = new Error('boom')

/** Writes what it does into the world, in order. */
const step = (name: string, further: Partial<Step<string[]>> = {}): Step<string[]> => ({
  name,
  run: async (world) => void world.push(`run ${name}`),
  undo: async (world) => void world.push(`undo ${name}`),
  ...further,
})
const breaks = { run: () => Promise.reject(boom) }

const failureOf = async (run: Promise<void>): Promise<StepFailure> => {
  const failure: unknown = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(failure instanceof StepFailure)
  return failure
}

test('each step is recorded before and after', async () => {
  const log = new MemoryLog()
  await runSteps([step('one'), step('two')], [], log)
  assert.deepEqual(log.events, ['one started', 'one done', 'two started', 'two done'])
})

test('a run goes on at the first unfinished step', async () => {
  const log = new MemoryLog()
  const world: string[] = []
  await log.record('one', 'done')
  await runSteps([step('one'), step('two')], world, log)
  assert.deepEqual(world, ['run two'])
})

test('a failure before the commit point undoes newest first, the failed step too, and keeps its own error', async () => {
  const log = new MemoryLog()
  const world: string[] = []
  const failure = await failureOf(
    runSteps([step('one'), step('two'), step('three', breaks), step('four')], world, log),
  )
  assert.deepEqual(world, ['run one', 'run two', 'undo three', 'undo two', 'undo one'])
  assert.deepEqual([failure.step, failure.cause, failure.cleanup], ['three', boom, 'complete'])
  assert.deepEqual(log.events.slice(4), [
    'three started',
    'three failed',
    'three undoing',
    'three undone',
    'two undoing',
    'two undone',
    'one undoing',
    'one undone',
  ])
  assert.deepEqual(await log.progress(), { done: [], begun: [] })
})

test('a failure of the committing step itself still undoes', async () => {
  const world: string[] = []
  await failureOf(runSteps([step('one'), step('two', { ...breaks, commits: true })], world, new MemoryLog()))
  assert.deepEqual(world, ['run one', 'undo two', 'undo one'])
})

test('after the commit point a failure undoes nothing, and the next run goes forward from it', async () => {
  const log = new MemoryLog()
  const world: string[] = []
  const failure = await failureOf(runSteps([step('one', { commits: true }), step('two', breaks)], world, log))
  assert.deepEqual([world, failure.cleanup], [['run one'], 'none'])
  await runSteps([step('one', { commits: true }), step('two')], world, log)
  assert.deepEqual(world, ['run one', 'run two'])
})

test('an undo that fails stops the undoing, is recorded and does not hide the first error', async () => {
  const log = new MemoryLog()
  const world: string[] = []
  const stuck = new Error('stuck')
  const steps = [step('one'), step('two', { undo: () => Promise.reject(stuck) }), step('three', breaks)]
  const failure = await failureOf(runSteps(steps, world, log))
  assert.deepEqual(
    [failure.cause, failure.cleanup, failure.undoFailure],
    [boom, 'incomplete', { step: 'two', cause: stuck }],
  )
  assert.deepEqual(world, ['run one', 'run two', 'undo three'])
  assert.deepEqual(await log.progress(), { done: ['one'], begun: ['two'] })
})

test('a guard stops the work between two steps and what is done is undone', async () => {
  const world: string[] = []
  const guard = (name: string): void => {
    if (name === 'two') throw boom
  }
  const failure = await failureOf(runSteps([step('one'), step('two')], world, new MemoryLog(), { guard }))
  assert.deepEqual([failure.step, failure.cause, failure.cleanup], ['two', boom, 'complete'])
  assert.deepEqual(world, ['run one', 'undo one'])
})

test('a step that an earlier process left unfinished is undone even when a guard keeps it from running again', async () => {
  const log = new MemoryLog()
  const world: string[] = []
  await log.record('one', 'started')
  await failureOf(runSteps([step('one')], world, log, { guard: () => Promise.reject(boom) }))
  assert.deepEqual(world, ['undo one'])
})

test('work that cannot be recorded is not undone', async () => {
  const world: string[] = []
  const log: StepLog = {
    progress: () => Promise.resolve({ done: [], begun: [] }),
    record: (_name, event) => (event === 'done' ? Promise.reject(boom) : Promise.resolve()),
  }
  await assert.rejects(runSteps([step('one')], world, log), boom)
  assert.deepEqual(world, ['run one'])
})

test('a record that fails while undoing does not take the place of the first error', async () => {
  const log: StepLog = {
    progress: () => Promise.resolve({ done: [], begun: [] }),
    record: (_name, event) => (event === 'failed' ? Promise.reject(new Error('full')) : Promise.resolve()),
  }
  const failure = await failureOf(runSteps([step('one', breaks)], [], log))
  assert.deepEqual([failure.cause, failure.cleanup], [boom, 'incomplete'])
})

test('a list with two commit points or a repeated name is refused before anything runs', async () => {
  const world: string[] = []
  const commits = { commits: true } as const
  await assert.rejects(
    runSteps([step('one', commits), step('two', commits)], world, new MemoryLog()),
    /one commit point/,
  )
  await assert.rejects(runSteps([step('one'), step('one')], world, new MemoryLog()), /share a name/)
  assert.deepEqual(world, [])
})
