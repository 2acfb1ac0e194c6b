import type { Database } from '@fleet/store'
import { holdClusters, holdNodes } from '#/clusters/queries.ts'
import type { RouteScope } from '#/clusters/record.ts'
import { scopeIn } from '#/clusters/rules.ts'

/**
 * The scopes of Nodes as they stay until the transaction ends, by the id of the Node: who stores a Route and who changes its scope wait
 * for each other, and the later one sees what the earlier one has stored. Nodes come before Clusters, each by its id, so that no two
 * transactions wait for each other for ever.
 */
export async function holdScopes(
  tx: Database,
  nodeIds: readonly number[],
): Promise<ReadonlyMap<number, RouteScope>> {
  const nodes = await holdNodes(tx, nodeIds)
  const clusters = await holdClusters(
    tx,
    nodes.flatMap(({ cluster_id }) => cluster_id ?? []),
  )
  const byId = new Map(clusters.map((cluster) => [cluster.id, cluster]))
  return new Map(nodes.map((node) => [node.id, scopeIn(node, byId.get(node.cluster_id ?? 0))]))
}
