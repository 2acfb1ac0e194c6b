import { type ErrorCode, fail } from '@fleet/contract'
import { fields, MalformedOutput, textField } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'

/** The code of each reason that a script may refuse with. */
export type Reasons = Readonly<Record<string, ErrorCode>>

const refusedPeer = {
  tools_missing: 'vpn.tools_missing',
  busy: 'vpn.peer_dns_busy',
  key_missing: 'vpn.peer_key_failed',
  state_unsupported: 'vpn.peer_dns_state_unsupported',
} as const

export const keyReasons: Reasons = refusedPeer

export const peerReasons: Reasons = {
  ...refusedPeer,
  incomplete: 'vpn.peer_config_install_failed',
  write_failed: 'vpn.peer_config_install_failed',
  start_failed: 'vpn.peer_start_failed',
  handshake_failed: 'vpn.peer_handshake_failed',
  dns_failed: 'vpn.peer_dns_apply_failed',
}

const installFailed = 'vpn.server_config_install_failed'

export const hubReasons: Reasons = {
  tools_missing: 'vpn.tools_missing',
  busy: installFailed,
  key_missing: installFailed,
  state_unsupported: 'vpn.peer_dns_state_unsupported',
  incomplete: installFailed,
  write_failed: installFailed,
  start_failed: installFailed,
}

export const resolverReasons: Reasons = {
  ...refusedPeer,
  recovery_pending: 'vpn.peer_recovery_pending',
  candidate_invalid: 'vpn.peer_dns_candidate_invalid',
  apply_failed: 'vpn.peer_dns_apply_failed',
  recovery_failed: 'vpn.peer_dns_recovery_failed',
  link_missing: 'vpn.peer_dns_apply_failed',
}

/**
 * A field of a script's answer. A refusal throws the code of its reason with `details.reason`; what is no answer throws
 * `broken`. Nothing that the machine printed goes further than that.
 */
export function answerOf(
  node: NodeRecord,
  result: CommandResult,
  name: string,
  { reasons, broken }: { readonly reasons: Reasons; readonly broken: ErrorCode },
): string {
  const details = { node: identityOf(node) }
  try {
    if (result.exitCode !== 0) throw new MalformedOutput('the script broke')
    const answer = fields(result.stdout)
    if (!answer.has('refused')) return textField(answer, name)
    const reason = textField(answer, 'refused')
    const code = reasons[reason]
    if (code === undefined) throw new MalformedOutput('not a reason of this script')
    throw fail(code, { details: { ...details, reason } })
  } catch (error) {
    if (!(error instanceof MalformedOutput)) throw error
    throw fail(broken, { details, cause: error })
  }
}
