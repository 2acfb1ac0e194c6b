import { fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import { runSteps, StepFailure, stepList } from '@fleet/steps'
import { stepGuard } from '#/node-lifecycle/enrolment/step-guard.ts'
import { StepWatch } from '#/node-lifecycle/enrolment/step-watch.ts'
import { updateNode } from '#/nodes/api.ts'
import { removalFailure } from './failure.ts'
import { removalLog } from './progress.ts'
import type { Removal } from './removal.ts'
import { removalSteps } from './steps.ts'

/**
 * Runs the steps from the first that no earlier request has recorded as done. A failure takes the finished ones back,
 * newest first, and the Node is again what it was (NODE-023, NODE-089); what could not be taken back stays recorded, and
 * the identical request goes on from there.
 */
export async function runRemoval(removal: Removal): Promise<void> {
  const { parts, call, node, outcome } = removal
  const log = removalLog(parts.store, node, outcome, new StepWatch(call, parts.clock))
  try {
    await runSteps(stepList('node-removal', removalSteps(removal)), removal, log, {
      guard: stepGuard(removal),
    })
  } catch (error) {
    throw error instanceof StepFailure ? await takenBack(removal, error) : error
  }
}

async function takenBack(removal: Removal, stopped: StepFailure): Promise<CodedError> {
  const { parts, node } = removal
  const failure = removalFailure(node, stopped)
  if (failure.code === 'node.lock_lost' || stopped.cleanup === 'incomplete') return failure
  try {
    await updateNode(parts.store.db, node.id, { removal: null })
    return failure
  } catch (cause) {
    const details = { ...failure.details, step: 'persistence-rollback', failed_step: stopped.step }
    return fail('node.removal_rollback_failed', { details, cause })
  }
}
