import type { Clusters } from '#/clusters/record.ts'
import { type FamilyChecks, stored } from '#/nodes/api.ts'

/**
 * An active Cluster needs a Router (RTE-039): without one no name of its Routes leads anywhere, as when the Router was removed with its
 * machine. Reported once, on the first of its members that are active.
 */
export const makeClusterChecks = (clusters: Pick<Clusters, 'find' | 'routerOf'>): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, node) => {
    const cluster = node.cluster_id === null ? undefined : await clusters.find(node.cluster_id)
    if (cluster?.state !== 'active') return []
    const active = cluster.members.filter(({ status }) => status === 'active').map(({ id }) => id)
    if (node.id !== Math.min(...active)) return []
    const { id, name } = cluster
    return [
      stored('role.cluster_router_missing', { type: 'cluster', id, name }, async () =>
        (await clusters.routerOf(id)) ? undefined : { expected: 'a Router', observed: 'none' },
      ),
    ]
  },
})
