import { type ErrorCode, fail, type NodeIdentity } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { readMembership, requireHub } from '#/network/members.ts'
import type { PublishDeps } from '#/network/publish.ts'
import { findIdByName } from '#/network/queries.ts'
import { applyResolver } from '#/network/resolver.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'

export interface DnsRepair {
  readonly node: NodeIdentity
  /** False when the resolver was as it should be. */
  readonly changed: boolean
}

/**
 * Puts the resolver of a managed peer in order again; for the gateway's console, no route leads here (NODE-034, NODE-133). The
 * machine is reached over the tunnel, which needs no names. Throws `node.dns_repair_*`, `vpn.*` and the codes of NodeSession.
 */
export async function repairDns(deps: PublishDeps, call: Call, name: string): Promise<DnsRepair> {
  const id = await findIdByName(deps.store.db, name)
  const node = id === undefined ? undefined : await deps.nodes.find(id)
  if (!node) throw fail('node.dns_repair_missing')
  const hub = requireHub(await readMembership(deps))
  const refusal = repairRefusal(node, hub.id)
  if (refusal) throw fail(refusal, { details: { node: identityOf(node) } })
  const session = deps.nodes.sessions.overTunnel(call, node)
  const changed = await applyResolver(deps, session, true, { broken: 'vpn.peer_dns_repair_failed' })
  return { node: identityOf(node), changed }
}

/** Why the resolver of this Node is not Fleet's to repair; undefined when it is. */
export function repairRefusal(node: NodeRecord, hubId: number): ErrorCode | undefined {
  if (node.platform !== null && node.platform !== 'linux') return 'node.dns_repair_platform_unsupported'
  if (node.status !== 'active') return 'node.dns_repair_inactive'
  if (node.id === hubId) return 'node.dns_repair_vpn_server'
  if (node.activeRoles.length === 0) return 'node.dns_repair_operator_owned'
  const { wireguard_ip, wireguard_public_key, ssh_host_fingerprint } = node
  if (wireguard_ip === null || wireguard_public_key === null || ssh_host_fingerprint === null)
    return 'node.dns_repair_identity_missing'
  return undefined
}
