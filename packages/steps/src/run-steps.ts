import { type Cleanup, StepFailure, type UndoFailure } from './step-failure.ts'
import type { Step, StepLog } from './step.ts'

export interface RunStepsOptions {
  /** Called before each step; what it throws stops the work there, as when the deadline leaves no more forward time. */
  readonly guard?: (step: string) => void | Promise<void>
}

/**
 * Runs the steps that the log does not list as done, in order, and records each before and after. A failure before the
 * commit point undoes newest first, the failed step included, and stops at an undo that fails: what came before may be
 * what that one still stands on. Throws StepFailure; an error of the log itself is thrown as it is and nothing is undone,
 * because work that cannot be recorded must wait for the identical request.
 */
export async function runSteps<C>(
  steps: readonly Step<C>[],
  context: C,
  log: StepLog,
  { guard }: RunStepsOptions = {},
): Promise<void> {
  requireProperList(steps)
  const progress = await log.progress()
  const done = new Set(progress.done)
  const touched = new Set([...progress.done, ...progress.begun])
  for (const step of steps) {
    if (done.has(step.name)) continue
    const failed = async (cause: unknown): Promise<never> => {
      throw await stop({ steps, context, log, touched }, step, cause, isCommitted(steps, done))
    }
    await attempt(async () => guard?.(step.name), failed)
    await log.record(step.name, 'started')
    touched.add(step.name)
    await attempt(() => step.run(context), failed)
    await log.record(step.name, 'done')
    done.add(step.name)
  }
}

interface Work<C> {
  readonly steps: readonly Step<C>[]
  readonly context: C
  readonly log: StepLog
  /** Steps that have, or may have, changed something. */
  readonly touched: ReadonlySet<string>
}

const attempt = async (
  work: () => Promise<void>,
  failed: (cause: unknown) => Promise<never>,
): Promise<void> => {
  try {
    await work()
  } catch (error) {
    await failed(error)
  }
}

const stop = async <C>(
  work: Work<C>,
  at: Step<C>,
  cause: unknown,
  committed: boolean,
): Promise<StepFailure> => {
  const unfinished: Cleanup = committed ? 'none' : 'incomplete'
  try {
    await work.log.record(at.name, 'failed')
    if (committed) return new StepFailure(at.name, cause, 'none')
    const undoFailure = await undoNewestFirst(work)
    return new StepFailure(at.name, cause, undoFailure ? 'incomplete' : 'complete', undoFailure)
  } catch (logError) {
    // The step's own error is the answer; that its record failed too must not take its place.
    return new StepFailure(at.name, cause, unfinished, { step: at.name, cause: logError })
  }
}

const undoNewestFirst = async <C>({
  steps,
  context,
  log,
  touched,
}: Work<C>): Promise<UndoFailure | undefined> => {
  for (const step of steps.toReversed()) {
    if (!touched.has(step.name)) continue
    // Before the undo: after a crash during it the step must not count as done.
    await log.record(step.name, 'undoing')
    try {
      await step.undo?.(context)
    } catch (cause) {
      await log.record(step.name, 'undo_failed')
      return { step: step.name, cause }
    }
    await log.record(step.name, 'undone')
  }
  return undefined
}

const isCommitted = <C>(steps: readonly Step<C>[], done: ReadonlySet<string>): boolean =>
  steps.some((step) => step.commits && done.has(step.name))

const requireProperList = <C>(steps: readonly Step<C>[]): void => {
  if (new Set(steps.map((step) => step.name)).size !== steps.length) throw new Error('two steps share a name')
  if (steps.filter((step) => step.commits).length > 1) throw new Error('a list has one commit point at most')
}
