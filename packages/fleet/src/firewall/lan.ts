import type { Database } from '@fleet/store'
import { unsettledMoves } from '#/clusters/api.ts'
import { type LanNode, lanNodesOf } from '#/firewall/queries.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/** What a Node with a LAN address in a Cluster admits there; sources are LAN addresses. */
export interface LanFacts {
  readonly address: string
  /** Of the Routers of its Cluster, which lead requests to it. */
  readonly routers: readonly string[]
  /** Of the members of its Cluster, where it is a Router itself: private DNS leads them to its LAN address. */
  readonly members: readonly string[]
}

/** A Node of a Cluster as it is going to be, beside the other members as they are stored. */
export interface LanChange {
  readonly clusterId: number
  readonly node: Pick<NodeRecord, 'id' | 'lan_ip'>
  /** As stored when absent. */
  readonly isMember?: boolean
  readonly isRouter?: boolean
}

/** The Nodes of a Cluster that have a LAN address. */
export async function lanPeers(
  db: Database,
  clusterId: number,
  change?: LanChange,
): Promise<readonly LanNode[]> {
  const stored = await lanNodesOf(db, clusterId)
  if (!change) return stored
  const { node, isMember, isRouter } = change
  const earlier = stored.find(({ id }) => id === node.id)
  const others = stored.filter(({ id }) => id !== node.id)
  if (!(isMember ?? earlier !== undefined) || node.lan_ip === null) return others
  const changed = { id: node.id, lan_ip: node.lan_ip, isRouter: isRouter ?? earlier?.isRouter ?? false }
  return [...others, changed].toSorted((one, other) => one.id - other.id)
}

/** Null for a Node that is not among them. */
export function lanFactsOf(peers: readonly LanNode[], nodeId: number): LanFacts | null {
  const own = peers.find(({ id }) => id === nodeId)
  if (!own) return null
  const others = peers.filter(({ id }) => id !== nodeId)
  return {
    address: own.lan_ip,
    routers: others.filter(({ isRouter }) => isRouter).map(({ lan_ip }) => lan_ip),
    members: own.isRouter ? others.map(({ lan_ip }) => lan_ip) : [],
  }
}

export const readLanFacts = async (
  db: Database,
  { id, cluster_id }: Pick<NodeRecord, 'id' | 'cluster_id'>,
): Promise<LanFacts | null> => (cluster_id === null ? null : lanFactsOf(await lanPeers(db, cluster_id), id))

/**
 * What stays on the Node where it is present, in each Cluster: a membership that is not settled may be prepared and not stored, and one
 * that has ended still leads requests. The change itself decides over its own Node (decision 0371).
 */
export async function stayingLanFacts(
  db: Database,
  { id, cluster_id }: Pick<NodeRecord, 'id' | 'cluster_id'>,
  change?: LanChange,
): Promise<readonly LanFacts[]> {
  const isDecided = (clusterId: number, nodeId: number): boolean =>
    clusterId === change?.clusterId && nodeId === change.node.id
  const moves = (await unsettledMoves(db)).filter(({ clusterId, nodeId }) => !isDecided(clusterId, nodeId))
  if (moves.length === 0) return []
  const entered = moves.filter(({ nodeId }) => nodeId === id).map(({ clusterId }) => clusterId)
  const own = cluster_id === null || isDecided(cluster_id, id) ? [] : [cluster_id]
  const staying: LanFacts[] = []
  for (const clusterId of new Set([...own, ...entered])) {
    const moving = moves.filter((move) => move.clusterId === clusterId).map(({ nodeId }) => nodeId)
    const peers = await lanNodesOf(db, clusterId, moving)
    const facts = lanFactsOf(
      peers.filter((peer) => !isDecided(clusterId, peer.id)),
      id,
    )
    if (facts) staying.push(facts)
  }
  return staying
}

/**
 * Only a change of a Router concerns every member; any other concerns the Routers and the Node itself. A Node without a LAN
 * address concerns nobody, unless it had one until now.
 */
export function concernedBy(
  { node, isMember, isRouter }: LanChange,
  before: readonly LanNode[],
  after: readonly LanNode[],
): readonly number[] {
  if (node.lan_ip === null && (isMember ?? isRouter) !== undefined) return []
  const all = [...before, ...after]
  const wasRouter = all.some((peer) => peer.id === node.id && peer.isRouter)
  const others = all.filter((peer) => wasRouter || isRouter !== undefined || peer.isRouter)
  return [...new Set([node.id, ...others.map(({ id }) => id)])].toSorted((one, other) => one - other)
}
