import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { SshFailure, type SshPool } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import { learn, type Provisioning } from '../provisioning.ts'

const SCAN_MILLISECONDS = 10_000

/**
 * Step 1, before any other contact: the key that the machine presents is the approved and the pinned one (NODE-050,
 * NODE-077). Nobody logs in for it.
 */
export async function approveHostKey(provisioning: Provisioning): Promise<void> {
  const { input, node } = provisioning
  const observed = await scanOpenWay(provisioning)
  const approved = input.host_key_fingerprint ?? undefined
  if (approved !== undefined && observed !== approved) throw fail('node.ssh_host_key_mismatch')
  const pinned = node.ssh_host_fingerprint
  if (pinned !== null && observed !== pinned) throw fail('node.ssh_host_key_changed')
  if (pinned === null) await learn(provisioning, { ssh_host_fingerprint: observed })
}

/** A known Node whose tunnel is silent is asked at its public address; what it presents there must be its pinned key as well. */
async function scanOpenWay(provisioning: Provisioning): Promise<string> {
  const { parts, call, node, isOverTunnel } = provisioning
  const { public_ssh_host: host, wireguard_ip: tunnelHost } = node
  const overPublic = { host: host ?? '', port: node.public_ssh_port ?? 22 }
  if (!isOverTunnel) return scanHostKey(parts.ssh, call, overPublic)
  const overTunnel = { host: tunnelHost ?? '', port: node.ssh_port }
  try {
    return await scanHostKey(parts.ssh, call, overTunnel)
  } catch (error) {
    if (host === null || !(error instanceof CodedError) || error.code !== 'node.ssh_host_key_scan_failed')
      throw error
    const observed = await scanHostKey(parts.ssh, call, overPublic, [overTunnel])
    provisioning.isOverTunnel = false
    return observed
  }
}

interface Address {
  readonly host: string
  readonly port: number
}

/** Throws `node.ssh_host_key_scan_failed` with the addresses that were tried. */
export async function scanHostKey(
  ssh: SshPool,
  call: Call,
  address: Address,
  triedBefore: readonly Address[] = [],
): Promise<string> {
  const milliseconds = Math.min(SCAN_MILLISECONDS, call.deadline.forwardMilliseconds())
  try {
    return await ssh.scan(address.host, address.port, milliseconds)
  } catch (error) {
    if (!(error instanceof SshFailure)) throw error
    const addresses = [...triedBefore, address].map(({ host, port }) => `${host}:${port}`)
    const message = `The SSH host key of the machine could not be read at ${addresses.join(' or ')}.`
    throw fail('node.ssh_host_key_scan_failed', { message, details: { addresses }, cause: error })
  }
}
