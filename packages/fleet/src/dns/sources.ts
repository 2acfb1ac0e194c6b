import type { ClusterRecord } from '#/clusters/api.ts'
import type { NameSources } from '#/dns/catalog.ts'
import type { DnsDeps } from '#/dns/deps.ts'
import type { RouteName } from '#/dns/ports.ts'
import { readNames } from '#/dns/queries.ts'

/**
 * What names follow from now; undefined for a gateway without a private network. A Node that is leaving has none any more,
 * but for one to be counted all the same.
 */
export async function readSources(
  { store, network, routes }: DnsDeps,
  countedId?: number,
): Promise<NameSources | undefined> {
  const settings = await network.settings()
  if (!settings) return undefined
  const leaving = await network.leaving()
  const { nodes, clusters } = await readNames(store.db)
  return {
    suffix: settings.suffix,
    nodes: nodes.filter(({ id }) => id === countedId || !leaving.has(id)),
    clusters,
    routes: await routes.list(),
  }
}

/** The same with one Cluster as it is going to be. */
export function withCluster(sources: NameSources, cluster: ClusterRecord): NameSources {
  const members = new Set(cluster.members.map(({ id }) => id))
  const placed = (nodeId: number, clusterId: number | null): number | null => {
    if (members.has(nodeId)) return cluster.id
    return clusterId === cluster.id ? null : clusterId
  }
  const { id, state, tld } = cluster
  return {
    ...sources,
    nodes: sources.nodes.map((node) => ({ ...node, clusterId: placed(node.id, node.clusterId) })),
    clusters: [...sources.clusters.filter((other) => other.id !== id), { id, state, tld }],
    routes: sources.routes.map((route) => movedTo(route, cluster, members)),
  }
}

/** A Route of an Instance has the scope of its Node (CLU-013); a custom proxy stays (RTX-041). */
function movedTo(
  route: RouteName,
  { id, state }: Pick<ClusterRecord, 'id' | 'state'>,
  members: ReadonlySet<number>,
): RouteName {
  const { domain, instanceNodeId } = route
  if (instanceNodeId === undefined) return route
  if (members.has(instanceNodeId) && state === 'active') return { domain, instanceNodeId, clusterId: id }
  const isLeft = 'clusterId' in route && route.clusterId === id
  return isLeft ? { domain, instanceNodeId, nodeId: instanceNodeId } : route
}

/** The same without a Node and the Routes that it serves. */
export const withoutNode = (sources: NameSources, nodeId: number): NameSources => ({
  ...sources,
  nodes: sources.nodes.filter(({ id }) => id !== nodeId),
})
