import { type ErrorCode, fail, isErrorCode, type NodeIdentity } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { detailsBehind, failedBecause } from '#/error-details.ts'
import { OWN_ANSWER } from '#/node-lifecycle/own-answer.ts'

/** Steps whose failures have one code of their own, with the reason in `details.error_code` (facts 3.15). */
const OWN_STEPS: Readonly<Record<string, { readonly code: ErrorCode; readonly what: string }>> = {
  bootstrap: {
    code: 'node.bootstrap_failed',
    what: 'The machine could not be prepared over the first login',
  },
  'fleet-ssh': { code: 'node.fleet_ssh_failed', what: 'The managed user is not ready' },
  agent: { code: 'node.agent_install_failed', what: 'The agent could not be installed' },
}

/** Who was refused, and what may be the reason at this very step: the managed user got the key by the step before. */
const refusedLogin = (step: string, { details }: CodedError): string => {
  const user = typeof details?.['user'] === 'string' ? ` ${details['user']}` : ''
  return step === 'fleet-ssh'
    ? `The SSH server of the machine refused the managed user${user}, who has the key of the gateway. It may admit only some users: ` +
        "`sshd -T | grep -iE '^(allow|deny|pubkey|authorizedkeysfile)'` on the machine shows that, and " +
        `AllowUsers or AllowGroups must then have${user === '' ? ' this user' : user} too.`
    : `The machine refused the SSH key of the gateway for the user${user}. \`fleet gateway:ssh-key\` prints the line for the ` +
        'authorized_keys of that user. Where the SSH server does not admit the user (PermitRootLogin, AllowUsers), name another for the first login with `--user`.'
}

/** The answer for an enrolment that stopped: `details.step`, `details.node`, and `details.error_code` where the step has a code of its own (NODE-063). */
export function provisioningFailure(node: NodeIdentity, step: string, cause: unknown): CodedError {
  const coded = cause instanceof CodedError && isErrorCode(cause.code) ? cause : undefined
  const base = { node: { id: node.id, name: node.name }, step }
  if (step.startsWith('role:')) return roleFailure(base, coded, cause)
  const own = OWN_STEPS[step]
  if (!coded) return fail(own?.code ?? 'node.provisioning_failed', { details: base, cause })
  const code = coded.code as ErrorCode // Looked up above.
  if (own === undefined || code === own.code || OWN_ANSWER.includes(code))
    return fail(code, { message: coded.message, details: { ...coded.details, ...base }, cause })
  return fail(own.code, {
    message:
      code === 'node.authentication_failed'
        ? refusedLogin(step, coded)
        : failedBecause(`${own.what} on ${node.name}`, coded),
    details: { ...coded.details, ...base, error_code: code },
    cause,
  })
}

type StepOfNode = {
  readonly node: { readonly id: number; readonly name: string }
  readonly step: string
}

/** At `role:<step>`, with the step and the code of the role's own failure (NODE-081). */
function roleFailure(base: StepOfNode, coded: CodedError | undefined, cause: unknown): CodedError {
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
    message: failed
      ? coded.message
      : failedBecause(`The step \`${base['step']}\` failed on ${base.node.name}`, cause),
    details: { ...detailsBehind(coded), ...base, step, role: inner['role'], error_code: enrolmentWord(code) },
    cause,
  })
}

/** The lock of the package manager has a name for each kind of request (GW-041). */
const enrolmentWord = (code: unknown): unknown =>
  code === 'node_role.tool_manager_locked' ? 'node.tool_manager_locked' : (code ?? 'http.500')
