import { type FailureKind, type MissedStep, StepFailure, type UndoFailure } from './step-failure.ts'
import type { StepList } from './step-list.ts'
import type { Step, StepLog, StepStatus } from './step.ts'

export interface RunStepsOptions<C> {
  /** Called before each step; what it throws stops the work there, as when the deadline leaves no more forward time. */
  readonly guard?: (step: string) => void | Promise<void>
  /** Reports a step to whoever watches. Must not throw. */
  readonly progress?: (step: string, status: StepStatus) => void
  /** What an error means for the list; every error is `ordinary` without it. */
  readonly kindOf?: (cause: unknown) => FailureKind
  /** The context for undoing, such as one with the time that was kept for it. What it throws stops the undoing. */
  readonly forUndo?: (context: C) => C
}

/**
 * Runs the steps that the log does not list as done, in order, records each before and after, and answers the optional ones
 * that failed. A failure before the commit point undoes newest first, the failed step included, and stops at an undo that
 * fails: the earlier steps may be what that one still depends on. Throws StepFailure; an error of the log itself is thrown
 * as it is and nothing is undone, because work that cannot be recorded must wait for the identical request.
 */
export async function runSteps<C>(
  list: StepList<C>,
  context: C,
  log: StepLog,
  options: RunStepsOptions<C> = {},
): Promise<readonly MissedStep[]> {
  const steps = list.stepsFor(context)
  const progress = await log.progress()
  const done = new Set(progress.done)
  const touched = new Set([...progress.done, ...progress.begun])
  const missed: MissedStep[] = []
  const work: Work<C> = {
    steps,
    context,
    log,
    options,
    done,
    touched,
    missed,
    isForwardOnly: list.isForwardOnly(context),
  }
  for (const step of steps) if (!done.has(step.name)) await runOne(work, step)
  return missed
}

interface Work<C> {
  readonly steps: readonly Step<C>[]
  readonly context: C
  readonly log: StepLog
  readonly options: RunStepsOptions<C>
  readonly isForwardOnly: boolean
  readonly done: Set<string>
  /** Steps that have, or may have, changed something. */
  readonly touched: Set<string>
  readonly missed: MissedStep[]
}

async function runOne<C>(work: Work<C>, step: Step<C>): Promise<void> {
  const { context, log, options, done, touched } = work
  const { name } = step
  const allowed = await attempt(async () => options.guard?.(name))
  if (!allowed.ok) throw await stop(work, step, allowed.cause)
  await log.record(name, 'started')
  touched.add(name)
  options.progress?.(name, 'started')
  const ran = await attempt(() => step.run(context))
  if (!ran.ok) return failed(work, step, ran.cause)
  await log.record(name, 'done')
  done.add(name)
  options.progress?.(name, ran.value === 'skipped' ? 'skipped' : 'done')
}

async function failed<C>(work: Work<C>, step: Step<C>, cause: unknown): Promise<void> {
  const { log, options, done, missed } = work
  if (!step.isOptional || kindOf(work, cause) !== 'ordinary') throw await stop(work, step, cause)
  await log.record(step.name, 'missed', cause)
  done.add(step.name)
  missed.push({ step: step.name, cause })
  options.progress?.(step.name, 'failed')
}

async function stop<C>(work: Work<C>, { name }: Step<C>, cause: unknown): Promise<StepFailure> {
  const { log, options } = work
  const kind = kindOf(work, cause)
  options.progress?.(name, 'failed')
  if (kind === 'lost') return new StepFailure(name, cause, { kind, cleanup: 'none' })
  const mayUndo = kind !== 'kept' && !isCommitted(work)
  try {
    await log.record(name, 'failed', cause)
    if (!mayUndo) return new StepFailure(name, cause, { kind, cleanup: 'none' })
    const undoFailure = await undoNewestFirst(work)
    return new StepFailure(name, cause, {
      kind,
      cleanup: undoFailure ? 'incomplete' : 'complete',
      undoFailure,
    })
  } catch (recordFailure) {
    // The step's own error is the answer; that its record failed too must not take its place.
    const undoFailure = { step: name, cause: recordFailure }
    const cleanup = mayUndo ? 'incomplete' : 'none'
    return new StepFailure(name, cause, { kind, cleanup, undoFailure, recordFailure })
  }
}

async function undoNewestFirst<C>(work: Work<C>): Promise<UndoFailure | undefined> {
  const { steps, context, log, options, touched } = work
  for (const step of steps.toReversed()) {
    if (!touched.has(step.name)) continue
    // Before the undo: after a crash during it the step must not count as done.
    await log.record(step.name, 'undoing')
    const undone = await attempt(async () => step.undo?.(options.forUndo?.(context) ?? context))
    if (!undone.ok) {
      await log.record(step.name, 'undo_failed', undone.cause)
      return { step: step.name, cause: undone.cause }
    }
    await log.record(step.name, 'undone')
  }
  return undefined
}

const kindOf = <C>({ options }: Work<C>, cause: unknown): FailureKind => options.kindOf?.(cause) ?? 'ordinary'

const isCommitted = <C>({ steps, done, isForwardOnly }: Work<C>): boolean =>
  isForwardOnly || steps.some((step) => step.commits && done.has(step.name))

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly cause: unknown }

async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (cause) {
    return { ok: false, cause }
  }
}
