import { type ErrorCode, fail, isErrorCode } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { StepFailure } from '@fleet/steps'
import { OWN_ANSWER } from '#/node-lifecycle/own-answer.ts'
import type { NodeRecord } from '#/nodes/api.ts'

const STEP_CODES: Readonly<Record<string, ErrorCode>> = {
  'grafana-access-revocation': 'node.grafana_access_revocation_failed',
  'metrics-exporters': 'node.metrics_reconcile_failed',
  'firewall-recovery': 'node.firewall_recovery_failed',
  'wireguard-projection': 'node.wireguard_projection_failed',
  'router-lan-ingress': 'router.lan_ingress_failed',
  'dns-projection': 'node.dns_projection_failed',
  persistence: 'node.persistence_failed',
}

/** The step that names a failed rollback (NODE-089). */
const ROLLBACKS: Readonly<Record<string, string>> = {
  'wireguard-projection': 'wireguard-rollback',
  'metrics-exporters': 'metrics-exporters-rollback',
}

/** The answer for a removal that stopped: the step's code, or that of a rollback that failed too (NODE-088, NODE-089). */
export function removalFailure(node: NodeRecord, { step, cause, undoFailure }: StepFailure): CodedError {
  const coded = cause instanceof CodedError && isErrorCode(cause.code) ? cause : undefined
  const error_code = coded?.code ?? 'http.500'
  const base = { node: { id: node.id, name: node.name } }
  if (coded?.code === 'node.lock_lost') return fail('node.lock_lost', { details: { ...base, step }, cause })
  if (undoFailure) {
    const rollback = ROLLBACKS[undoFailure.step] ?? `${undoFailure.step}-rollback`
    const details = { ...base, step: rollback, failed_step: step, error_code }
    return fail('node.removal_rollback_failed', { details, cause })
  }
  // What was stored on the Node meanwhile says why it stays.
  if (coded && step === 'persistence' && coded.status < 500) return coded
  if (coded && OWN_ANSWER.includes(coded.code))
    return fail(coded.code as ErrorCode, { details: { ...coded.details, ...base, step }, cause }) // One of the list above.
  const code = STEP_CODES[step] ?? 'node.persistence_failed'
  return fail(code, { details: { ...base, step, error_code }, cause })
}
