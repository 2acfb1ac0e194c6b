import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { type Endpoint, hubEndpoint, isAddress } from '#/network/endpoint.ts'
import { type PeerFacts, peerConfiguration } from '#/network/configuration.ts'
import { findHolder } from '#/network/queries.ts'
import { planResolver, type ResolverPlan } from '#/network/resolver-plan.ts'
import { type NetworkSettings, requireSettings } from '#/network/settings.ts'
import { identityOf, type NodeRecord, type Nodes } from '#/nodes/api.ts'

export interface MemberDeps {
  readonly store: Store
  readonly nodes: Nodes
}

/** Everything that the tunnel of one Node follows from. */
export interface Membership {
  readonly settings: NetworkSettings
  readonly hub: NodeRecord | undefined
  readonly gatewayId: number | undefined
}

/** Throws `node.capability_missing` without a private network. */
export async function readMembership({ store, nodes }: MemberDeps): Promise<Membership> {
  const settings = await requireSettings(store)
  const hubId = await findHolder(store.db, 'vpn')
  return {
    settings,
    hub: hubId === undefined ? undefined : await nodes.find(hubId),
    gatewayId: await findHolder(store.db, 'gateway'),
  }
}

/** Throws `vpn.peer_address_missing`. */
export function addressOf(node: NodeRecord): string {
  if (node.wireguard_ip === null)
    throw fail('vpn.peer_address_missing', { details: { node: identityOf(node) } })
  return node.wireguard_ip
}

/** Throws `vpn.server_missing` while no Node is the hub. */
export function requireHub({ hub }: Pick<Membership, 'hub'>): NodeRecord {
  if (!hub) throw fail('vpn.server_missing')
  return hub
}

/** Throws `vpn.configuration_invalid` for an override that is no address. */
export function resolverOf(
  { settings, gatewayId }: Membership,
  hub: NodeRecord,
  node: NodeRecord,
  isManaged: boolean,
): ResolverPlan {
  const override = node.dns_server_override
  if (override !== null && !isAddress(override)) throw invalid(node, 'dns_server_override')
  return planResolver({
    server: addressOf(hub),
    suffix: settings.suffix,
    tld: node.tld,
    isHub: hub.id === node.id,
    isGateway: gatewayId === node.id,
    isManaged,
    override,
  })
}

/** Throws `vpn.server_missing`, `vpn.server_endpoint_missing` and `vpn.configuration_invalid`. */
export function peerFactsOf(membership: Membership, node: NodeRecord, resolver: ResolverPlan): PeerFacts {
  const hub = requireHub(membership)
  const publicKey = hub.wireguard_public_key
  if (publicKey === null) throw fail('vpn.server_missing', { details: { node: identityOf(hub) } })
  const { range } = membership.settings
  const endpoint = endpointOf(membership, hub, node)
  return { address: addressOf(node), range, resolver, hub: { publicKey, endpoint } }
}

export const peerTextOf = (membership: Membership, node: NodeRecord, resolver: ResolverPlan): string =>
  peerConfiguration(peerFactsOf(membership, node, resolver))

/** NODE-049. */
function endpointOf({ settings }: Membership, hub: NodeRecord, node: NodeRecord): Endpoint {
  const override = node.wireguard_endpoint_override
  const { endpoint: stored, hubPort } = settings
  const sources = { override, stored, hubHost: hub.public_ssh_host, hubPort }
  const endpoint = hubEndpoint(sources)
  if (endpoint) return endpoint
  if (override === null && stored === null && hub.public_ssh_host === null)
    throw fail('vpn.server_endpoint_missing', { details: { node: identityOf(hub) } })
  throw invalid(node, 'wireguard_endpoint_override')
}

const invalid = (node: NodeRecord, member: string) =>
  fail('vpn.configuration_invalid', { details: { node: identityOf(node), member } })
