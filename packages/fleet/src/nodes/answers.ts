import { type SshPool, SshFailure } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/record.ts'
import { tunnelTarget } from '#/nodes/sessions.ts'

const PROBE_MILLISECONDS = 10_000

/** Whether the Node answers over its tunnel within some seconds. A machine with another host key is not this Node: nothing may be sent to it. */
export async function nodeAnswers(
  ssh: Pick<SshPool, 'probe'>,
  call: Call,
  node: NodeRecord,
): Promise<boolean> {
  try {
    await ssh.probe(tunnelTarget(node), Math.min(PROBE_MILLISECONDS, call.deadline.forwardMilliseconds()))
    return true
  } catch (error) {
    if (error instanceof SshFailure) return false
    throw error
  }
}
