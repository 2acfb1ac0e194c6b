import { unitDetailsOf } from '#/managed-services/api.ts'
import { type ErrorCode, fail, isErrorCode, type NodeIdentity } from '@fleet/contract'
import { CodedError, type Details } from '@fleet/kernel'
import { OWN_ANSWER } from '#/node-lifecycle/own-answer.ts'

/** Steps whose failures have one code of their own, with the reason in `details.error_code` (facts 3.15). */
const STEP_CODES: Readonly<Record<string, ErrorCode>> = {
  bootstrap: 'node.bootstrap_failed',
  'fleet-ssh': 'node.fleet_ssh_failed',
  agent: 'node.agent_install_failed',
}

const NO_KEY =
  'The machine refused the SSH key of the gateway. `fleet gateway:ssh-key` prints the line for its authorized_keys.'

/** The answer for an enrolment that stopped: `details.step`, `details.node`, and `details.error_code` where the step has a code of its own (NODE-063). */
export function provisioningFailure(node: NodeIdentity, step: string, cause: unknown): CodedError {
  const coded = cause instanceof CodedError && isErrorCode(cause.code) ? cause : undefined
  const base = { node: { id: node.id, name: node.name }, step }
  if (step.startsWith('role:')) return roleFailure(base, coded, cause)
  const stepCode = STEP_CODES[step]
  if (!coded) return fail(stepCode ?? 'node.provisioning_failed', { details: base, cause })
  const code = coded.code as ErrorCode // Looked up above.
  if (stepCode === undefined || code === stepCode || OWN_ANSWER.includes(code))
    return fail(code, { message: coded.message, details: { ...coded.details, ...base }, cause })
  return fail(stepCode, {
    ...(code === 'node.authentication_failed' ? { message: NO_KEY } : {}),
    details: { error_code: code, ...reasonOf(coded), ...unitDetailsOf(coded), ...base },
    cause,
  })
}

/** At `role:<step>`, with the step and the code of the role's own failure (NODE-081). */
function roleFailure(base: Details, coded: CodedError | undefined, cause: unknown): CodedError {
  const inner = coded?.details ?? {}
  const failed = coded?.code === 'node_role.convergence_failed'
  const own = OWN_ANSWER.find((code) => code === (failed ? inner['error_code'] : coded?.code))
  if (own !== undefined) return fail(own as ErrorCode, { details: base, cause }) // One of the list above.
  // Another request has given a role since this one was allowed.
  if (coded?.code === 'node.role_conflict')
    return fail('node.role_conflict', {
      message: coded.message,
      details: { ...coded.details, ...base },
      cause,
    })
  const step = failed && typeof inner['step'] === 'string' ? `role:${inner['step']}` : base['step']
  const code = failed ? inner['error_code'] : coded?.code
  return fail('node.role_convergence_failed', {
    details: { ...base, step, role: inner['role'], error_code: enrolmentWord(code), ...unitDetailsOf(coded) },
    cause,
  })
}

/** The lock of the package manager has a name for each kind of request (GW-041). */
const enrolmentWord = (code: unknown): unknown =>
  code === 'node_role.tool_manager_locked' ? 'node.tool_manager_locked' : (code ?? 'http.500')

const reasonOf = ({ details }: CodedError): Details =>
  typeof details?.['reason'] === 'string' ? { reason: details['reason'] } : {}
