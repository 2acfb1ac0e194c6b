import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryLog } from './memory-log.ts'
import { runSteps, type RunStepsOptions } from './run-steps.ts'
import { StepFailure } from './step-failure.ts'
import { stepList, type StepListOptions } from './step-list.ts'
import type { Step, StepEvent, StepLog } from './step.ts'

const boom = new Error('boom')

/** Writes what it does into the world, in order. */
const step = (name: string, further: Partial<Step<string[]>> = {}): Step<string[]> => ({
  name,
  run: async (world) => void world.push(`run ${name}`),
  undo: async (world) => void world.push(`undo ${name}`),
  ...further,
})
const breaks = { run: () => Promise.reject(boom) }

/** A world, a log and what a watcher sees. */
class Bench {
  readonly world: string[] = []
  readonly log = new MemoryLog()
  readonly seen: string[] = []

  run(
    steps: readonly Step<string[]>[],
    options: RunStepsOptions<string[]> = {},
    how: StepListOptions<string[]> = {},
  ) {
    return runSteps(stepList('sample', steps, how), this.world, this.log, {
      progress: (name, status) => void this.seen.push(`${name} ${status}`),
      ...options,
    })
  }
}

const failureOf = async (run: Promise<unknown>): Promise<StepFailure> => {
  const failure: unknown = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(failure instanceof StepFailure)
  return failure
}

test('each step is recorded and reported before and after', async () => {
  const bench = new Bench()
  assert.deepEqual(await bench.run([step('one'), step('two', { run: async () => 'skipped' })]), [])
  assert.deepEqual(bench.log.events, ['one started', 'one done', 'two started', 'two done'])
  assert.deepEqual(bench.seen, ['one started', 'one done', 'two started', 'two skipped'])
})

test('a run resumes at the first unfinished step and reports no other', async () => {
  const bench = new Bench()
  await bench.log.record('one', 'done')
  await bench.run([step('one'), step('two')])
  assert.deepEqual([bench.world, bench.seen], [['run two'], ['two started', 'two done']])
})

test('a failure before the commit point undoes newest first, the failed step too, and keeps its own error', async () => {
  const bench = new Bench()
  const failure = await failureOf(bench.run([step('one'), step('two'), step('three', breaks), step('four')]))
  assert.deepEqual(bench.world, ['run one', 'run two', 'undo three', 'undo two', 'undo one'])
  assert.deepEqual(
    [failure.step, failure.cause, failure.cleanup, failure.kind],
    ['three', boom, 'complete', 'ordinary'],
  )
  assert.deepEqual(bench.log.events.slice(4), [
    'three started',
    'three failed',
    'three undoing',
    'three undone',
    'two undoing',
    'two undone',
    'one undoing',
    'one undone',
  ])
  assert.deepEqual(bench.seen.slice(4), ['three started', 'three failed'])
  assert.deepEqual(await bench.log.progress(), { done: [], begun: [] })
})

test('a failure of the committing step itself still undoes', async () => {
  const bench = new Bench()
  await failureOf(bench.run([step('one'), step('two', { ...breaks, commits: true })]))
  assert.deepEqual(bench.world, ['run one', 'undo two', 'undo one'])
})

test('after the commit point a failure undoes nothing, and the next run goes forward from it', async () => {
  const bench = new Bench()
  const failure = await failureOf(bench.run([step('one', { commits: true }), step('two', breaks)]))
  assert.deepEqual([bench.world, failure.cleanup], [['run one'], 'none'])
  await bench.run([step('one', { commits: true }), step('two')])
  assert.deepEqual(bench.world, ['run one', 'run two'])
})

test('a list that was committed before it began undoes nothing, whether always or for this context', async () => {
  for (const forwardOnly of [true, () => true] as const) {
    const bench = new Bench()
    const failure = await failureOf(bench.run([step('one'), step('two', breaks)], {}, { forwardOnly }))
    assert.deepEqual([bench.world, failure.cleanup], [['run one'], 'none'])
  }
})

test('the record of a failure, of a missed step and of a failed undo gets the error', async () => {
  const stuck = new Error('stuck')
  const causes: [StepEvent, unknown][] = []
  const log: StepLog = {
    progress: () => Promise.resolve({ done: [], begun: [] }),
    record: async (_step, event, cause) => void (cause && causes.push([event, cause])),
  }
  const steps = [
    step('one', { undo: () => Promise.reject(stuck) }),
    step('two', { run: () => Promise.reject(stuck), isOptional: true }),
    step('three', breaks),
  ]
  await failureOf(runSteps(stepList('sample', steps), [], log))
  assert.deepEqual(causes, [
    ['missed', stuck],
    ['failed', boom],
    ['undo_failed', stuck],
  ])
})

test('an optional step that fails is reported and answered, stops nothing and is finished', async () => {
  const bench = new Bench()
  const missed = await bench.run([step('one', { ...breaks, isOptional: true }), step('two')])
  assert.deepEqual(missed, [{ step: 'one', cause: boom }])
  assert.deepEqual(bench.seen, ['one started', 'one failed', 'two started', 'two done'])
  assert.deepEqual(bench.log.events, ['one started', 'one missed', 'two started', 'two done'])
  assert.deepEqual(await bench.log.progress(), { done: ['one', 'two'], begun: [] })
})

test('an optional step is undone like any other, also after it was missed', async () => {
  const bench = new Bench()
  await failureOf(bench.run([step('one', { ...breaks, isOptional: true }), step('two', breaks)]))
  assert.deepEqual(bench.world, ['undo two', 'undo one'])
})

test('a final error ends the list in an optional step too, and is undone', async () => {
  const bench = new Bench()
  const steps = [step('one'), step('two', { ...breaks, isOptional: true })]
  const failure = await failureOf(bench.run(steps, { kindOf: () => 'final' }))
  assert.deepEqual([failure.step, failure.kind, failure.cleanup], ['two', 'final', 'complete'])
  assert.deepEqual(bench.world, ['run one', 'undo two', 'undo one'])
})

test('an error that keeps the work is recorded and nothing is undone', async () => {
  const bench = new Bench()
  const failure = await failureOf(bench.run([step('one'), step('two', breaks)], { kindOf: () => 'kept' }))
  assert.deepEqual([failure.kind, failure.cleanup], ['kept', 'none'])
  assert.deepEqual(bench.world, ['run one'])
  assert.deepEqual(bench.log.events.at(-1), 'two failed')
})

test('work that is lost to somebody else is neither recorded nor undone', async () => {
  const bench = new Bench()
  const failure = await failureOf(bench.run([step('one'), step('two', breaks)], { kindOf: () => 'lost' }))
  assert.deepEqual([failure.kind, failure.cleanup], ['lost', 'none'])
  assert.deepEqual(bench.world, ['run one'])
  assert.deepEqual(bench.log.events.at(-1), 'two started')
  assert.deepEqual(bench.seen.at(-1), 'two failed')
})

test('an undo that fails stops the undoing, is recorded and does not hide the first error', async () => {
  const bench = new Bench()
  const stuck = new Error('stuck')
  const steps = [step('one'), step('two', { undo: () => Promise.reject(stuck) }), step('three', breaks)]
  const failure = await failureOf(bench.run(steps))
  assert.deepEqual(
    [failure.cause, failure.cleanup, failure.undoFailure],
    [boom, 'incomplete', { step: 'two', cause: stuck }],
  )
  assert.deepEqual(bench.world, ['run one', 'run two', 'undo three'])
  assert.deepEqual(await bench.log.progress(), { done: ['one'], begun: ['two'] })
})

test('undoing may have a context of its own, and what refuses it stops the undoing', async () => {
  const bench = new Bench()
  const other: string[] = []
  await failureOf(bench.run([step('one', breaks)], { forUndo: () => other }))
  assert.deepEqual([bench.world, other], [[], ['undo one']])
  const forUndo = (): never => {
    throw boom
  }
  const failure = await failureOf(new Bench().run([step('one', breaks)], { forUndo }))
  assert.deepEqual([failure.cleanup, failure.undoFailure], ['incomplete', { step: 'one', cause: boom }])
})

test('a guard stops the work between two steps and what is done is undone', async () => {
  const bench = new Bench()
  const guard = (name: string): void => {
    if (name === 'two') throw boom
  }
  const failure = await failureOf(bench.run([step('one'), step('two')], { guard }))
  assert.deepEqual([failure.step, failure.cause, failure.cleanup], ['two', boom, 'complete'])
  assert.deepEqual(bench.world, ['run one', 'undo one'])
})

test('a step that an earlier process left unfinished is undone even when a guard keeps it from running again', async () => {
  const bench = new Bench()
  await bench.log.record('one', 'started')
  await failureOf(bench.run([step('one')], { guard: () => Promise.reject(boom) }))
  assert.deepEqual(bench.world, ['undo one'])
})

test('work that cannot be recorded is not undone', async () => {
  const world: string[] = []
  const log: StepLog = {
    progress: () => Promise.resolve({ done: [], begun: [] }),
    record: (_name, event) => (event === 'done' ? Promise.reject(boom) : Promise.resolve()),
  }
  await assert.rejects(runSteps(stepList('sample', [step('one')]), world, log), boom)
  assert.deepEqual(world, ['run one'])
})

test('a record that fails while undoing does not take the place of the first error', async () => {
  const log: StepLog = {
    progress: () => Promise.resolve({ done: [], begun: [] }),
    record: (_name, event) => (event === 'failed' ? Promise.reject(new Error('full')) : Promise.resolve()),
  }
  const failure = await failureOf(runSteps(stepList('sample', [step('one', breaks)]), [], log))
  assert.deepEqual([failure.cause, failure.cleanup], [boom, 'incomplete'])
  assert.match(String(failure.recordFailure), /full/)
})

test('a list with two commit points or a repeated name is refused before anything runs', async () => {
  const bench = new Bench()
  const commits = { commits: true } as const
  await assert.rejects(bench.run([step('one', commits), step('two', commits)]), /one commit point/)
  await assert.rejects(bench.run([step('one'), step('one')]), /share a name/)
  assert.deepEqual(bench.world, [])
})
