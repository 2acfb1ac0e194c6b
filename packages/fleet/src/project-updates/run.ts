import { type ErrorCode, fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { runSteps, StepFailure } from '@fleet/steps'
import { optionsFor, performSteps, type StepWork } from '#/perform-steps.ts'
import { publishChanged } from '#/project-updates/publish-changed.ts'
import { projectUpdate, updateLog } from '#/project-updates/steps/list.ts'
import { type ProjectUpdate, store } from '#/project-updates/update.ts'

const workOf = (update: ProjectUpdate) =>
  ({
    call: update.call,
    log: updateLog(update),
    withCall: (given, call) => ({ ...given, call }),
  }) satisfies StepWork<ProjectUpdate>

/** Performs what is left of it, and reports what changed. */
export async function perform(update: ProjectUpdate): Promise<void> {
  const { call } = update
  try {
    await performSteps(projectUpdate, update, {
      ...workOf(update),
      errorOf: (failure) => stopped(update, failure),
    })
  } finally {
    call.note.property('update', {
      state: update.stored.record.state,
      failed_step: update.stored.record.failed_step,
    })
    if (update.evidence.size > 0) call.note.property('environments', [...update.evidence.values()])
  }
  await publishChanged(update)
}

/** Undoes what an earlier request began and could not undo (PRJ-044). Throws when that fails again. */
export async function rollBack(update: ProjectUpdate): Promise<void> {
  const work = workOf(update)
  const failure = await runSteps(projectUpdate, update, work.log, {
    ...optionsFor(work),
    guard: () => {
      throw new Error('an earlier request failed')
    },
    progress: () => undefined,
  }).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof StepFailure)) throw failure
  if (failure.undoFailure) throw incomplete(failure.undoFailure.cause, failure.undoFailure.step)
  await store(update, { state: 'rolled_back', finished_at: update.deps.clock.now().toISOString() })
}

/** What the request answers, once the record says what became of it. */
async function stopped(update: ProjectUpdate, failure: StepFailure): Promise<unknown> {
  const { cause, cleanup, step } = failure
  if (cleanup === 'complete')
    await store(update, { state: 'rolled_back', finished_at: update.deps.clock.now().toISOString() })
  if (cleanup === 'incomplete') return incomplete(cause, step)
  if (cause instanceof CodedError) return cause
  return fail('project.update_failed', {
    ...(cleanup === 'none'
      ? {
          message:
            'The update of the Project stopped after it was published. Run the same command again to finish it.',
        }
      : {}),
    details: { step },
    cause,
  })
}

/** Part of it is still in place: the identical request continues to undo it. */
function incomplete(cause: unknown, step: string): unknown {
  if (!(cause instanceof CodedError))
    return fail('project.update_failed', { details: { step, cleanup: 'incomplete' }, cause })
  // A coded error of a domain has a code of the registry.
  return fail(cause.code as ErrorCode, {
    message: cause.message,
    details: { ...cause.details, cleanup: 'incomplete' },
    cause,
  })
}
