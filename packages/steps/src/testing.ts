import assert from 'node:assert/strict'
import { CrashingLog, MemoryLog } from './memory-log.ts'
import { runSteps } from './run-steps.ts'
import { StepFailure } from './step-failure.ts'
import type { Step } from './step.ts'

export { Crash, CrashingLog, MemoryLog } from './memory-log.ts'

/** A list of steps with a world to run it in. */
export interface StepsUnderTest<C> {
  readonly steps: readonly Step<C>[]
  /** A new world, alike every time. */
  readonly fresh: () => C | Promise<C>
  /** What the world looks like: plain values that can be compared. */
  readonly view: (context: C) => unknown
}

/**
 * For every step, failing before and after its work. Until the commit point the world must look as before the run;
 * from there on the record must name the step, and the identical run must finish as an undisturbed one.
 */
export async function failsCleanlyAtEveryStep<C>(given: StepsUnderTest<C>): Promise<void> {
  const { steps, fresh, view } = given
  assert.ok(steps.length > 0, 'a list without steps proves nothing')
  const commit = steps.findIndex((step) => step.commits)
  const finished = await finishedView(given)
  for (const [index, step] of steps.entries()) {
    for (const broken of [failingBefore(step), failingAfter(step)]) {
      const context = await fresh()
      const before = structuredClone(await view(context))
      const log = new MemoryLog()
      const failure = await failureOf(runSteps(steps.with(index, broken), context, log))
      assert.equal(failure.step, step.name)
      if (commit === -1 || index <= commit) {
        assert.equal(failure.cleanup, 'complete')
        assert.deepEqual(await view(context), before, `the world after a failure at ${step.name}`)
      }
      assert.ok(log.events.includes(`${step.name} failed`))
      await runSteps(steps, context, log)
      assert.deepEqual(await view(context), finished, `the world after a retry from ${step.name}`)
    }
  }
}

/** For every step: its run, and before the commit point its undo, repeated at once must change nothing more. */
export async function stepsAreIdempotent<C>(given: StepsUnderTest<C>): Promise<void> {
  const { steps, fresh, view } = given
  assert.ok(steps.length > 0, 'a list without steps proves nothing')
  const doubled = steps.map(twice)
  const context = await fresh()
  await runSteps(doubled, context, new MemoryLog())
  assert.deepEqual(await view(context), await finishedView(given), 'the world after every step ran twice')
  const commit = steps.findIndex((step) => step.commits)
  const last = commit === -1 ? steps.length - 1 : commit
  const undone = await fresh()
  const before = structuredClone(await view(undone))
  const broken = doubled.map((step, index) => (index === last ? failingAfter(step) : step))
  await failureOf(runSteps(broken, undone, new MemoryLog()))
  assert.deepEqual(await view(undone), before, 'the world after every undo ran twice')
}

/**
 * The process dies at every record in turn, just before it is stored or just after, on the way forward and while undoing;
 * the identical run must then finish as an undisturbed one.
 */
export async function resumesAfterEveryCrash<C>(given: StepsUnderTest<C>): Promise<void> {
  const { steps } = given
  assert.ok(steps.length > 0, 'a list without steps proves nothing')
  await crashAtEveryRecord(given, steps)
  for (const [index, step] of steps.entries())
    await crashAtEveryRecord(given, steps.with(index, failingAfter(step)))
}

const crashAtEveryRecord = async <C>(
  given: StepsUnderTest<C>,
  firstRun: readonly Step<C>[],
): Promise<void> => {
  const { steps, fresh, view } = given
  const finished = await finishedView(given)
  for (let at = 1, crashed = true; crashed; at += 1) {
    for (const stored of [false, true]) {
      const context = await fresh()
      const log = new MemoryLog()
      const dying = new CrashingLog(log, at, stored)
      await runSteps(firstRun, context, dying).catch(() => undefined)
      crashed = dying.crashed
      await runSteps(steps, context, log)
      const when = `${stored ? 'after' : 'before'} record ${at} (${log.events.join(', ')})`
      assert.deepEqual(await view(context), finished, `the world after a crash ${when}`)
    }
  }
}

const finishedView = async <C>({ steps, fresh, view }: StepsUnderTest<C>): Promise<unknown> => {
  const context = await fresh()
  await runSteps(steps, context, new MemoryLog())
  return view(context)
}

const failureOf = async (run: Promise<void>): Promise<StepFailure> => {
  const failure = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(failure instanceof StepFailure, 'the run must fail')
  return failure
}

// Built anew and not spread: a step may be an instance of a class, whose methods are not its own properties.
const like = <C>(step: Step<C>, run: Step<C>['run'], undo: Step<C>['undo']): Step<C> => ({
  name: step.name,
  ...(step.commits && { commits: true }),
  run,
  ...(undo && { undo }),
})

const undoOf = <C>(step: Step<C>): Step<C>['undo'] =>
  step.undo ? async (context) => step.undo?.(context) : undefined

const failingBefore = <C>(step: Step<C>): Step<C> =>
  like(step, () => Promise.reject(new Error('injected before the work')), undoOf(step))

const failingAfter = <C>(step: Step<C>): Step<C> =>
  like(
    step,
    async (context) => {
      await step.run(context)
      throw new Error('injected after the work')
    },
    undoOf(step),
  )

const twice = <C>(step: Step<C>): Step<C> => {
  const undo = undoOf(step)
  return like(
    step,
    async (context) => {
      await step.run(context)
      await step.run(context)
    },
    undo &&
      (async (context) => {
        await undo(context)
        await undo(context)
      }),
  )
}
