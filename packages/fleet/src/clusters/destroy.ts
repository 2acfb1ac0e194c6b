import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { holdingCluster } from '#/clusters/locks.ts'
import type { ClusterRoutes } from '#/clusters/ports.ts'
import { presentCluster } from '#/clusters/present.ts'
import { deleteCluster } from '#/clusters/queries.ts'
import type { Handler } from '#/handler.ts'

/** Joining holds the Cluster too, so it is empty until it is gone (CLU-006, CLU-042). */
export const makeDestroy =
  (store: Store, routes: ClusterRoutes): Handler<'cluster:destroy'> =>
  async ({ call, input }) =>
    holdingCluster(store, call, input.cluster, async (cluster) => {
      const nodes = cluster.members.length
      if (nodes > 0) throw fail('cluster.not_empty', { details: { nodes } })
      const owned = await routes.countOwned(cluster.id)
      if (owned > 0) throw fail('cluster.has_routes', { details: { routes: owned } })
      await deleteCluster(store.db, cluster.id)
      return { data: presentCluster(cluster) }
    })
