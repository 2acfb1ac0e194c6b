import { CodedError } from '@fleet/kernel'
import { SshFailure, type SshPool } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import { type NodeRecord, tunnelTarget } from '#/nodes/api.ts'

/** A Node on the tunnel answers in milliseconds; a dead one must not hold the report up. */
const PROBE_MILLISECONDS = 5000

/** True when the Node takes a fresh SSH connection over the tunnel with its pinned key (DRF-017). */
export async function answers(ssh: Pick<SshPool, 'probe'>, call: Call, node: NodeRecord): Promise<boolean> {
  try {
    await ssh.probe(tunnelTarget(node), Math.min(PROBE_MILLISECONDS, call.deadline.forwardMilliseconds()))
    return true
  } catch (error) {
    if (error instanceof SshFailure || error instanceof CodedError) return false
    throw error
  }
}
