import { fail, isErrorCode } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import { runSteps, StepFailure, stepList } from '@fleet/steps'
import { type NodeRecord, type RoleRow, updateNode } from '#/nodes/api.ts'
import { provisioningFailure } from './failure.ts'
import type { Provisioning } from './provisioning.ts'
import { stepGuard } from './step-guard.ts'
import { StepWatch } from './step-watch.ts'
import { provisioningSteps } from './steps/list.ts'

/**
 * Runs the steps and resolves to the Node as it is then. A failure is recorded on a Node that is being made; an active one
 * has its earlier record again (NODE-021, NODE-022). Throws with `details.step`.
 */
export async function provision(
  provisioning: Provisioning,
  earlierRoles: readonly RoleRow[],
): Promise<NodeRecord> {
  const { parts, call } = provisioning
  const watch = new StepWatch(call, parts.clock)
  try {
    const list = stepList('node-enrolment', provisioningSteps(provisioning, earlierRoles, watch))
    await runSteps(list, provisioning, watch, { guard: stepGuard(provisioning) })
  } catch (error) {
    throw error instanceof StepFailure ? await recordFailure(provisioning, error) : error
  }
  return complete(provisioning)
}

/** From here on a request for this name is a converge (NODE-026). */
async function complete({ parts, node }: Provisioning): Promise<NodeRecord> {
  const provisioned_at = node.provisioned_at ?? parts.clock.now().toISOString()
  const ended = { provisioned_at, failed_step: null, error_code: null }
  await updateNode(parts.store.db, node.id, ended)
  return { ...node, ...ended }
}

async function recordFailure(provisioning: Provisioning, stopped: StepFailure): Promise<CodedError> {
  const { parts, call, node } = provisioning
  const failure = provisioningFailure(node, stopped.step, stopped.cause)
  // Another request works on this Node now, and the record is its own.
  if (failure.code === 'node.lock_lost') return failure
  const status = statusAfter(provisioning, stopped.step)
  if (status) {
    const told = failure.details?.['step']
    const failed_step = typeof told === 'string' ? told : stopped.step
    await updateNode(parts.store.db, node.id, { status, failed_step, error_code: failure.code })
  }
  if (!provisioning.earlier) return failure
  if (stopped.cleanup !== 'incomplete' && provisioning.notTakenBack.length === 0) return failure
  call.log('the earlier state of a Node was not restored', { node: node.id, step: stopped.undoFailure?.step })
  return isErrorCode(failure.code)
    ? fail(failure.code, {
        message: failure.message,
        details: { ...failure.details, cleanup: 'incomplete' },
        cause: stopped,
      })
    : failure
}

/** Undefined where the record stays as it is: an active Node keeps what it had (NODE-022, NODE-057, NODE-059). */
function statusAfter({ earlier }: Provisioning, step: string): 'active' | 'failed' | undefined {
  if (earlier) return undefined
  return step === 'settings' ? 'active' : 'failed'
}
