import { fail } from '@fleet/contract'
import { eventsLog, type StepFailure, type StepLog } from '@fleet/steps'
import { updateNode } from '#/nodes/api.ts'
import { performSteps } from '#/perform-steps.ts'
import { removalFailure } from './failure.ts'
import { readRemoval, type Removal } from './removal.ts'
import { nodeRemoval } from './steps.ts'

/**
 * Runs the steps from the first that no earlier request has recorded as done. A failure undoes the finished ones, newest
 * first, and the Node is again what it was (NODE-023, NODE-089); what could not be undone stays recorded, and the identical
 * request resumes there.
 */
export async function runRemoval(removal: Removal): Promise<void> {
  const { deps, call } = removal
  await performSteps(nodeRemoval, removal, {
    call,
    log: removalLog(removal),
    clock: deps.clock,
    withCall: (given, undoing) => ({ ...given, call: undoing }),
    errorOf: (failure) => removalError(removal, failure),
  })
}

/** The progress in the Node's own row, with what the steps found. The row goes with the last step, and needs no record of it. */
export const removalLog = ({ deps, node, outcome }: Removal): StepLog =>
  eventsLog(readRemoval(node).steps, (steps) =>
    updateNode(deps.store.db, node.id, { removal: { steps, outcome } }),
  )

async function removalError({ deps, node }: Removal, stopped: StepFailure): Promise<unknown> {
  const failure = removalFailure(node, stopped)
  if (stopped.cleanup !== 'complete') return failure
  try {
    await updateNode(deps.store.db, node.id, { removal: null })
    return failure
  } catch (cause) {
    const details = { ...failure.details, step: 'persistence-rollback', failed_step: stopped.step }
    return fail('node.removal_rollback_failed', { details, cause })
  }
}
