import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import { holdClusters, holdNodes } from '#/clusters/queries.ts'
import type { PlannedScope, RouteScope } from '#/clusters/record.ts'
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

/**
 * In the transaction that stores what was planned, and before it writes a Route. Throws `route.busy` when a Node has another scope by
 * now: a Route that is stored in the one before would be missed by the change that is over (CLU-013, RTX-039).
 */
export async function requireScopes(tx: Database, planned: readonly PlannedScope[]): Promise<void> {
  const scopes = await holdScopes(
    tx,
    planned.map(({ nodeId }) => nodeId),
  )
  for (const { nodeId, clusterId, tld } of planned) {
    const scope = scopes.get(nodeId)
    if (scope?.clusterId === clusterId && (tld === undefined || scope.tld === tld)) continue
    throw fail('route.busy', {
      message: `The Cluster or the top-level domain of the Node ${nodeId} changed meanwhile. Run the same command again.`,
      details: { node_id: nodeId },
    })
  }
}
