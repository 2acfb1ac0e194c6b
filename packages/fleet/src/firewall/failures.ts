import { type FirewallStep, fail, firewallSteps } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Changed } from '#/firewall/change.ts'
import type { PresentFirewall } from '#/firewall/ufw/state.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'
import { endsRequest } from '#/perform-steps.ts'

/** The Node has no UFW: it is an embedded one, or its packages are missing. */
export const noFirewall = (node: NodeRecord): CodedError =>
  fail('node.capability_missing', { details: { node: identityOf(node), capability: 'firewall' } })

/**
 * The state after a change that was made. Throws `node.capability_missing` without a firewall, else the code of the step
 * with `details.step` and `details.reason`: `work` when the rules could not be written, `check` when they do not show.
 */
export function doneOrThrow(
  node: NodeRecord,
  changed: Changed,
  [work, check]: readonly [FirewallStep, FirewallStep],
): PresentFirewall {
  if (changed.kind === 'done') return changed.state
  if (changed.kind === 'refused' && changed.reason === 'absent') throw noFirewall(node)
  const step = changed.kind === 'refused' ? work : check
  throw fail(firewallSteps[step], {
    details: {
      node: identityOf(node),
      step,
      ...(changed.kind === 'refused' ? { reason: changed.reason } : {}),
    },
  })
}

const SILENT: readonly string[] = ['node.unreachable', 'node.connection_lost', 'command.deadline_exceeded']

/** Whether the error says that the machine did not answer, or no longer, within the limit of a command too. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof CodedError && SILENT.includes(error.code) && !endsRequest(error)

/** `firewall.node_unreachable` for a Node that did not answer before anything was changed; every other error as it is. */
export const asUnreachable = (node: NodeRecord, error: unknown): unknown =>
  error instanceof CodedError && isUnreachable(error)
    ? fail('firewall.node_unreachable', {
        details: { node: identityOf(node), error_code: error.code },
        cause: error,
      })
    : error
