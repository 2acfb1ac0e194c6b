import { fail } from '@fleet/contract'
import { holdingCluster, requireCluster } from '#/clusters/locks.ts'
import type { ClusterRoutes } from '#/clusters/ports.ts'
import { presentCluster } from '#/clusters/present.ts'
import type { ClusterRecord } from '#/clusters/record.ts'
import { changeRouter, requireUnrouted, type RouterDeps } from '#/clusters/router-steps.ts'
import { routerOf } from '#/clusters/rules.ts'
import type { Handler } from '#/handler.ts'

/** Candidates go too; a Cluster without any of them stays as it is (CLU-010). `force` is consent and skips nothing. */
export const makeRouterClear =
  (deps: RouterDeps): Handler<'cluster:router:clear'> =>
  async ({ call, input }) =>
    holdingCluster(deps.store, call, input.cluster, async (cluster) => {
      call.note.property('router_node_id', routerOf(cluster)?.id ?? null)
      await requireClearable(deps.routes, cluster)
      const leaving = cluster.members.filter(({ routerStatus }) => routerStatus !== null)
      await changeRouter({ deps, call, cluster, leaving, isReplaced: false })
      return { data: presentCluster(await requireCluster(deps.store, cluster.id)) }
    })

/** CLU-034, CLU-035. A candidate that never became the Router serves nothing and may always go. */
async function requireClearable(routes: ClusterRoutes, cluster: ClusterRecord): Promise<void> {
  if (!routerOf(cluster)) return
  if (cluster.state === 'active' && cluster.tld !== null) throw fail('cluster.active_router_required')
  await requireUnrouted(routes, cluster)
}
