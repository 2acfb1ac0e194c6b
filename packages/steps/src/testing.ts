import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CrashingLog, MemoryLog } from './memory-log.ts'
import { runSteps, type RunStepsOptions } from './run-steps.ts'
import { type MissedStep, StepFailure } from './step-failure.ts'
import type { StepList } from './step-list.ts'
import type { Step, StepLog } from './step.ts'

export { Crash, CrashingLog, MemoryLog } from './memory-log.ts'

/** A list of steps with a world to run it in. */
export interface StepsUnderTest<C> {
  readonly list: StepList<NoInfer<C>>
  /** A new world, alike every time. */
  readonly fresh: () => C | Promise<C>
  /** What the world looks like: plain values that can be compared. Not the columns of the log. */
  readonly view: (context: C) => unknown
  /** The log that the domain keeps, in the records of the world; one in memory when absent. */
  readonly log?: (context: C) => StepLog
  /**
   * The context that the handler of the identical request builds from the records; undefined when they leave it nothing to
   * run. The same context when absent.
   */
  readonly again?: (context: C) => C | undefined | Promise<C | undefined>
  readonly options?: (context: C) => RunStepsOptions<C>
  /**
   * The committing step is one transaction that cannot be undone, such as the one that deletes the record itself: it fails
   * before its work or not at all.
   */
  readonly commitsWhole?: true
  readonly close?: (context: C) => PromiseLike<void>
}

/** Which of several worlds of one list a group of tests is about. */
export interface Variant {
  readonly variant?: string
}

/**
 * The property tests of a list, as `npm run check` asks for them: it fails cleanly at every step, it may run every step
 * twice, and it resumes after every crash. `name` is that of the list.
 */
export function testStepList<C>(name: string, { variant, ...given }: StepsUnderTest<C> & Variant): void {
  assert.equal(given.list.name, name)
  const what = variant === undefined ? name : `${name} (${variant})`
  test(`the list ${what} fails cleanly at every step`, () => failsCleanlyAtEveryStep(given))
  test(`the list ${what} may run every step twice`, () => stepsAreIdempotent(given))
  test(`the list ${what} resumes after every crash`, () => resumesAfterEveryCrash(given))
}

/**
 * For every step, failing before and after its work. Until the commit point the world must look as before the run;
 * from there on the record must name the step. Either way the identical run must finish as an undisturbed one. An optional
 * step that fails stops nothing and is reported.
 */
export async function failsCleanlyAtEveryStep<C>(given: StepsUnderTest<C>): Promise<void> {
  const finished = await finishedView(given)
  for (const index of await indicesOf(given)) {
    await failAt(given, index, failingBefore, finished)
    await failAt(given, index, (step) => failingAt(given, step), finished)
  }
}

async function failAt<C>(
  given: StepsUnderTest<C>,
  index: number,
  broken: (step: Step<C>) => Step<C>,
  finished: unknown,
): Promise<void> {
  await using world = await World.open(given)
  const before = await world.view()
  const list = changed(given.list, (step, at) => (at === index ? broken(step) : step))
  const { name = '', isOptional } = given.list.stepsFor(world.context)[index] ?? {}
  if (isOptional) {
    const missed = await world.run(list)
    assert.deepEqual(
      missed.map(({ step }) => step),
      [name],
      `${name} is optional`,
    )
    return
  }
  const isForward = isForwardFrom(given, world.context, index)
  const failure = await failureOf(world.run(list))
  assert.deepEqual(
    [failure.step, failure.cleanup],
    [name, isForward ? 'none' : 'complete'],
    `a failure at ${name}: ${String(failure.undoFailure?.cause)}`,
  )
  if (!isForward) assert.deepEqual(await world.view(), before, `the world after a failure at ${name}`)
  assert.ok(world.log.events.includes(`${name} failed`))
  await world.again()
  assert.deepEqual(await world.view(), finished, `the world after a retry from ${name}`)
}

/** For every step: its run, and before the commit point its undo, repeated at once must change nothing more. */
export async function stepsAreIdempotent<C>(given: StepsUnderTest<C>): Promise<void> {
  const indices = await indicesOf(given)
  const doubled = changed(given.list, twice)
  await using forward = await World.open(given)
  await forward.run(doubled)
  assert.deepEqual(await forward.view(), await finishedView(given), 'the world after every step ran twice')
  const last = indices.findLast((index) => !isForwardFrom(given, forward.context, index))
  if (last === undefined) return
  await using undone = await World.open(given)
  const before = await undone.view()
  await failureOf(undone.run(changed(doubled, (step, at) => (at === last ? failingAt(given, step) : step))))
  assert.deepEqual(await undone.view(), before, 'the world after every undo ran twice')
}

/**
 * The process dies at every record in turn, just before it is stored or just after, on the way forward and while undoing;
 * the identical run must then finish as an undisturbed one.
 */
export async function resumesAfterEveryCrash<C>(given: StepsUnderTest<C>): Promise<void> {
  const finished = await finishedView(given)
  await crashAtEveryRecord(given, given.list, 1, finished)
  const indices = await indicesOf(given)
  await using world = await World.open(given)
  const forward = indices.filter((index) => isForwardFrom(given, world.context, index))
  // The undoing of the last step that is undone passes every earlier one.
  for (const index of [...indices.slice(0, indices.length - forward.length).slice(-1), ...forward]) {
    const list = changed(given.list, (step, at) => (at === index ? failingAt(given, step) : step))
    // Up to its failure the run is the undisturbed one.
    await crashAtEveryRecord(given, list, await firstFailure(given, list), finished)
  }
}

async function crashAtEveryRecord<C>(
  given: StepsUnderTest<C>,
  list: StepList<C>,
  first: number,
  finished: unknown,
): Promise<void> {
  for (let at = first, crashed = true; crashed; at += 1)
    for (const stored of [true, false]) {
      await using world = await World.open(given, at, stored)
      await world.run(list).catch(() => undefined)
      crashed = world.log.crashed
      await world.again()
      const when = `${stored ? 'after' : 'before'} record ${at} (${world.log.events.join(', ')})`
      assert.deepEqual(await world.view(), finished, `the world after a crash ${when}`)
      // Nothing happens between a record and the next one that begins something: both crashes leave the same world. So do runs
      // that end before the record.
      if (!crashed || (at > 1 && BEGINS.test(world.log.events.at(-1) ?? ''))) break
    }
}

/** Records before their work; the others come after it. */
const BEGINS = / (?:started|undoing)$/

/** Number of the record of a failure, from 1. */
async function firstFailure<C>(given: StepsUnderTest<C>, list: StepList<C>): Promise<number> {
  await using world = await World.open(given)
  await world.run(list).catch(() => undefined)
  const index = world.log.events.findIndex((event) => / (failed|missed)$/.test(event))
  return index === -1 ? Infinity : index + 1
}

/** One run of a list and, afterwards, the identical one. */
class World<C> implements AsyncDisposable {
  readonly context: C
  readonly log: CrashingLog
  readonly #given: StepsUnderTest<C>
  readonly #memory = new MemoryLog()

  private constructor(given: StepsUnderTest<C>, context: C, at?: number, stored?: boolean) {
    this.context = context
    this.#given = given
    this.log = new CrashingLog(this.#logFor(context), at, stored)
  }

  static async open<C>(given: StepsUnderTest<C>, at?: number, stored?: boolean): Promise<World<C>> {
    return new World(given, await given.fresh(), at, stored)
  }

  run(list: StepList<C>): Promise<readonly MissedStep[]> {
    return runSteps(list, this.context, this.log, this.#given.options?.(this.context))
  }

  /** The identical request, undisturbed. */
  async again(): Promise<void> {
    const { again, list, options } = this.#given
    const context = again ? await again(this.context) : this.context
    if (context !== undefined) await runSteps(list, context, this.#logFor(context), options?.(context))
  }

  async view(): Promise<unknown> {
    return structuredClone(await this.#given.view(this.context))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#given.close?.(this.context)
  }

  #logFor(context: C): StepLog {
    return this.#given.log?.(context) ?? this.#memory
  }
}

async function indicesOf<C>(given: StepsUnderTest<C>): Promise<readonly number[]> {
  await using world = await World.open(given)
  const { length } = given.list.stepsFor(world.context)
  assert.ok(length > 0, 'a list without steps proves nothing')
  return Array.from({ length }, (_, index) => index)
}

async function finishedView<C>(given: StepsUnderTest<C>): Promise<unknown> {
  await using world = await World.open(given)
  await world.run(given.list)
  return await world.view()
}

/** True when a failure at the step comes after the commit point. */
function isForwardFrom<C>({ list }: StepsUnderTest<C>, context: C, index: number): boolean {
  const steps = list.stepsFor(context)
  const commit = steps.findIndex((step) => step.commits)
  return list.isForwardOnly(context) || (commit !== -1 && index > commit)
}

async function failureOf(run: Promise<unknown>): Promise<StepFailure> {
  const failure = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(failure instanceof StepFailure, `the run must fail with a step, not ${String(failure)}`)
  return failure
}

const changed = <C>(list: StepList<C>, change: (step: Step<C>, index: number) => Step<C>): StepList<C> => ({
  name: list.name,
  isForwardOnly: (context) => list.isForwardOnly(context),
  stepsFor: (context) => list.stepsFor(context).map(change),
})

// Built anew and not spread: a step may be an instance of a class, whose methods are not its own properties.
const like = <C>(step: Step<C>, run: Step<C>['run'], undo: Step<C>['undo']): Step<C> => ({
  name: step.name,
  ...(step.commits && { commits: true }),
  ...(step.isOptional && { isOptional: true }),
  run,
  ...(undo && { undo }),
})

const undoOf = <C>(step: Step<C>): Step<C>['undo'] =>
  step.undo ? async (context) => step.undo?.(context) : undefined

/** Failing as late as it may. */
const failingAt = <C>({ commitsWhole }: StepsUnderTest<C>, step: Step<C>): Step<C> =>
  commitsWhole && step.commits ? failingBefore(step) : failingAfter(step)

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
      return step.run(context)
    },
    undo &&
      (async (context) => {
        await undo(context)
        await undo(context)
      }),
  )
}
