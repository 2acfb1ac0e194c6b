import { CodedError } from '@fleet/kernel'
import { SshFailure, type SshPool } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import { type NodeRecord, tunnelTarget } from '#/nodes/api.ts'

/** A Node on the tunnel answers in milliseconds; a dead one must not hold the report up. */
const PROBE_MILLISECONDS = 5000

/** Why a Node takes no command, each with another remedy. */
export type Silence = 'unreachable' | 'connection_refused' | 'key_refused' | 'host_key_changed'

/** Undefined when the Node takes a fresh SSH connection over the tunnel with its pinned key (DRF-017). */
export async function probe(
  ssh: Pick<SshPool, 'probe'>,
  call: Call,
  node: NodeRecord,
): Promise<Silence | undefined> {
  try {
    await ssh.probe(tunnelTarget(node), Math.min(PROBE_MILLISECONDS, call.deadline.forwardMilliseconds()))
    return undefined
  } catch (error) {
    if (error instanceof SshFailure) return silenceOf(error)
    if (error instanceof CodedError) return 'unreachable'
    throw error
  }
}

function silenceOf(failure: SshFailure): Silence {
  if (failure.kind === 'host_key_changed') return 'host_key_changed'
  if (failure.kind === 'authentication') return 'key_refused'
  return failure.isRefused ? 'connection_refused' : 'unreachable'
}
