import { fail } from '@fleet/contract'
import { SshFailure, type SshPool } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import { learn, type Provisioning } from '../provisioning.ts'

const SCAN_MILLISECONDS = 10_000

/**
 * Step 1, before any other contact: the key that the machine presents is the approved and the pinned one (NODE-050,
 * NODE-077). Nobody logs in for it.
 */
export async function approveHostKey(provisioning: Provisioning): Promise<void> {
  const { parts, call, input, node, isOverTunnel } = provisioning
  const address = isOverTunnel
    ? { host: node.wireguard_ip ?? '', port: node.ssh_port }
    : { host: node.public_ssh_host ?? '', port: node.public_ssh_port ?? 22 }
  const observed = await scanHostKey(parts.ssh, call, address)
  const approved = input.host_key_fingerprint ?? undefined
  if (approved !== undefined && observed !== approved) throw fail('node.ssh_host_key_mismatch')
  const pinned = node.ssh_host_fingerprint
  if (pinned !== null && observed !== pinned) throw fail('node.ssh_host_key_changed')
  if (pinned === null) await learn(provisioning, { ssh_host_fingerprint: observed })
}

/** Throws `node.ssh_host_key_scan_failed`. */
export async function scanHostKey(
  ssh: SshPool,
  call: Call,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  const milliseconds = Math.min(SCAN_MILLISECONDS, call.deadline.forwardMilliseconds())
  try {
    return await ssh.scan(host, port, milliseconds)
  } catch (error) {
    if (!(error instanceof SshFailure)) throw error
    throw fail('node.ssh_host_key_scan_failed', { cause: error })
  }
}
