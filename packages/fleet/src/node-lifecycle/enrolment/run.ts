import { fail, isErrorCode } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { NewRow } from '@fleet/store'
import { columnsLog, type StepFailure, type StepLog } from '@fleet/steps'
import { type NodeRecord, updateNode } from '#/nodes/api.ts'
import { withDetails } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { provisioningFailure } from './failure.ts'
import type { Provisioning } from './provisioning.ts'
import { nodeEnrolment } from './steps/list.ts'

type Provisioned = Pick<Provisioning, 'node' | 'followUp'>

/**
 * Runs the steps and resolves to the Node as it is then. A failure is recorded on a Node that is being made; an active one
 * has its earlier record again (NODE-021, NODE-022). Throws with `details.step`,
 * and with `details.follow_up` once the firewall is on: a repeated request finds it so, and has nothing to say.
 */
export async function provision(provisioning: Provisioning): Promise<Provisioned> {
  const { deps, call } = provisioning
  await performSteps(nodeEnrolment, provisioning, {
    call,
    log: enrolmentLog(provisioning),
    clock: deps.clock,
    withCall: (given, undoing) => ({ ...given, call: undoing }),
    errorOf: (failure) => enrolmentError(provisioning, failure),
  })
  return { node: await complete(provisioning), followUp: provisioning.followUp }
}

/** From here on a request for this name is a converge (NODE-026). */
async function complete({ deps, node }: Provisioning): Promise<NodeRecord> {
  const provisioned_at = node.provisioned_at ?? deps.clock.now().toISOString()
  const ended = { provisioned_at, failed_step: null, error_code: null }
  await updateNode(deps.store.db, node.id, ended)
  return { ...node, ...ended }
}

/** Every step may be repeated, so a repeated request runs all of them; the record keeps where the last one failed. */
export const enrolmentLog = (provisioning: Provisioning): StepLog =>
  columnsLog<Partial<NewRow<'nodes'>>>({
    on: {
      failed: (step, cause) => {
        const status = statusAfter(provisioning, step)
        const { code, details } = provisioningFailure(provisioning.node, step, cause)
        // Another request works on this Node now, and the record is its own.
        if (!status || code === 'node.lock_lost') return undefined
        const named = details?.['step']
        return { status, failed_step: typeof named === 'string' ? named : step, error_code: code }
      },
    },
    write: (values) => updateNode(provisioning.deps.store.db, provisioning.node.id, values),
  })

/** Undefined where the record stays as it is: an active Node keeps what it had (NODE-022, NODE-057, NODE-059). */
function statusAfter({ earlier }: Provisioning, step: string): 'active' | 'failed' | undefined {
  if (earlier) return undefined
  return step === 'settings' ? 'active' : 'failed'
}

function enrolmentError(provisioning: Provisioning, stopped: StepFailure): unknown {
  const { call, node, earlier, notRolledBack } = provisioning
  const failure = withFollowUp(provisioning, provisioningFailure(node, stopped.step, stopped.cause))
  if (!earlier || failure.code === 'node.lock_lost') return failure
  if (stopped.cleanup !== 'incomplete' && notRolledBack.length === 0) return failure
  call.log('the earlier state of a Node was not restored', { node: node.id, step: stopped.undoFailure?.step })
  if (!isErrorCode(failure.code)) return failure
  const details = { ...failure.details, cleanup: 'incomplete' }
  return fail(failure.code, { message: failure.message, details, cause: stopped })
}

function withFollowUp({ followUp }: Provisioning, failure: CodedError): CodedError {
  if (followUp.length === 0 || !isErrorCode(failure.code)) return failure
  return withDetails(failure, { follow_up: followUp }, failure.code)
}
