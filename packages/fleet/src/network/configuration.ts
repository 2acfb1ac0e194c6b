import { type Endpoint, formatEndpoint, isAddress } from '#/network/endpoint.ts'
import { isLoopback } from '#/network/loopback.ts'
import type { ResolverPlan } from '#/network/resolver-plan.ts'

/** Peers listen here, so that a hub that has just started knows where to knock before they speak. */
export const PEER_PORT = 41_820

const HOOK = 'sh /etc/wireguard/fleet.hook'
/** Keeps the way back through NAT and stateful firewalls open (wg(8) names 25 seconds). */
const KEEPALIVE_SECONDS = 25

export interface HubPeer {
  readonly nodeId: number
  readonly publicKey: string
  readonly address: string
  /** Public SSH host of the Node. */
  readonly publicHost: string | null
}

export interface HubFacts {
  readonly address: string
  /** Length of the prefix of the fleet's range: one route covers all peers, also those that come later. */
  readonly prefix: number
  readonly port: number
  readonly peers: readonly HubPeer[]
}

/**
 * The hub's /etc/wireguard/fleet.conf but its first three lines, which the machine writes: who wrote it, `[Interface]`
 * and the private key. Peers are in the order of their Nodes, so that equal records give equal text.
 */
export const hubConfiguration = ({ address, prefix, port, peers }: HubFacts): string =>
  [
    `Address = ${address}/${prefix}`,
    `ListenPort = ${port}`,
    `PostUp = ${HOOK} up %i`,
    `PostUp = ${HOOK} forward %i`,
    `PostDown = ${HOOK} unforward %i`,
    ...peers.toSorted((a, b) => a.nodeId - b.nodeId).flatMap(peerOfHub),
    '',
  ].join('\n')

const peerOfHub = ({ nodeId, publicKey, address, publicHost }: HubPeer): readonly string[] => [
  '',
  `# node ${nodeId}`,
  '[Peer]',
  `PublicKey = ${publicKey}`,
  `AllowedIPs = ${address}/32`,
  ...knockAt(publicHost),
]

/** Only an address: a name that does not resolve would hold up the start of the hub. */
const knockAt = (host: string | null): readonly string[] =>
  host === null || !isAddress(host) || isLoopback(host)
    ? []
    : [`Endpoint = ${formatEndpoint({ host, port: PEER_PORT })}`]

export interface PeerFacts {
  readonly address: string
  readonly hub: { readonly publicKey: string; readonly endpoint: Endpoint }
  /** The fleet's whole range: traffic to every other Node crosses the hub. */
  readonly range: string
  readonly resolver: ResolverPlan
}

/** A peer's /etc/wireguard/fleet.conf but its first three lines, as for the hub. */
export const peerConfiguration = ({ address, hub, range, resolver }: PeerFacts): string =>
  [
    `Address = ${address}/32`,
    `ListenPort = ${PEER_PORT}`,
    ...(resolver.keeper === 'line' ? [`DNS = ${resolver.server}`] : []),
    `PostUp = ${HOOK} up %i`,
    '',
    '[Peer]',
    `PublicKey = ${hub.publicKey}`,
    `AllowedIPs = ${range}`,
    `Endpoint = ${formatEndpoint(hub.endpoint)}`,
    `PersistentKeepalive = ${KEEPALIVE_SECONDS}`,
    '',
  ].join('\n')
