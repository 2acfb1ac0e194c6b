import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { SshFailure, type SshPool } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import type { NodeRecord, NodeSession, Sessions } from '#/nodes/api.ts'

const SCAN_MILLISECONDS = 10_000

export interface Address {
  readonly host: string
  readonly port: number
}

/** Over which address a recorded Node answers now, and the host key that it presents there. */
export interface OpenPath {
  readonly path: 'tunnel' | 'public'
  readonly address: Address
  readonly fingerprint: string
}

/** A session of the managed user over it. */
export const sessionOver = (
  { sessions }: { readonly sessions: Sessions },
  call: Call,
  node: NodeRecord,
  path: OpenPath['path'],
): NodeSession =>
  path === 'tunnel' ? sessions.overTunnel(call, node) : sessions.overPublicSsh(call, node, node.user)

export const addressText = ({ host, port }: Address): string => `${host}:${port}`

export const publicAddressOf = ({ public_ssh_host: host, public_ssh_port: port }: NodeRecord): Address => ({
  host: host ?? '',
  port: port ?? 22,
})

/**
 * The tunnel of a Node, or its public address where nothing answers over the tunnel; nobody logs in. Whether the key is the
 * pinned one is for the caller to check. Throws `node.ssh_host_key_scan_failed` with every address that was tried.
 */
export async function findOpenPath(
  deps: { readonly ssh: Pick<SshPool, 'scan'> },
  call: Call,
  node: NodeRecord,
): Promise<OpenPath> {
  const overTunnel = { host: node.wireguard_ip ?? '', port: node.ssh_port }
  try {
    return { path: 'tunnel', address: overTunnel, fingerprint: await scanHostKey(deps.ssh, call, overTunnel) }
  } catch (error) {
    if (node.public_ssh_host === null || !isUnreachable(error)) throw error
    const address = publicAddressOf(node)
    return { path: 'public', address, fingerprint: await scanHostKey(deps.ssh, call, address, [overTunnel]) }
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof CodedError && error.code === 'node.ssh_host_key_scan_failed'

/** Throws `node.ssh_host_key_scan_failed` with the addresses that were tried. */
export async function scanHostKey(
  ssh: Pick<SshPool, 'scan'>,
  call: Call,
  address: Address,
  triedBefore: readonly Address[] = [],
): Promise<string> {
  const milliseconds = Math.min(SCAN_MILLISECONDS, call.deadline.forwardMilliseconds())
  try {
    return await ssh.scan(address.host, address.port, milliseconds)
  } catch (error) {
    if (!(error instanceof SshFailure)) throw error
    const addresses = [...triedBefore, address].map(addressText)
    const message = `The SSH host key of the machine could not be read at ${addresses.join(' or ')}.`
    throw fail('node.ssh_host_key_scan_failed', { message, details: { addresses }, cause: error })
  }
}
