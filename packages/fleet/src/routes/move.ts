import { fail } from '@fleet/contract'
import type { InstanceRoutes } from '#/instances/api.ts'
import { identityOf } from '#/nodes/api.ts'
import { isInTransition, isOwn } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { nodeScopeOrRefuse } from '#/routes/plan.ts'
import { planTarget } from '#/routes/plan-target.ts'
import { appRoutes, updateRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'

/** Routes keep their ids when their Instance moves to another Node (RTE-148). */
export const makeRouteMoves = (deps: RoutesDeps): Pick<InstanceRoutes, 'planMove' | 'move'> => ({
  planMove: async (instance, { isOpen }) => {
    const routes = await appRoutes(deps.store.db, [instance.id])
    const own = routes.find(isOwn)
    if (!own)
      throw fail('instance.lifecycle_conflict', {
        message: 'The Instance has no Route of its own that leads to it alone, which a transfer takes along.',
        details: { reason: 'own_route_missing', route_status: null },
      })
    const unsettled = routes.find(isInTransition) ?? (!isOpen && own.status !== 'active' ? own : undefined)
    if (unsettled)
      throw fail('instance.lifecycle_conflict', {
        message: `The Route ${unsettled.domain} is changing, or its last change has failed.`,
        details: { reason: 'route_unsettled', route_id: unsettled.id, route_status: unsettled.status },
      })
    const { clusterId } = await nodeScopeOrRefuse(deps, instance.node)
    if (clusterId === null)
      throw fail('instance.standalone_unsupported', { details: { node: identityOf(instance.node) } })
    const planned = []
    for (const route of [own, ...routes.filter(({ id }) => id !== own.id)]) {
      await requireSource(deps, route)
      const target = await planTarget(deps, route, instance)
      requireCluster(route, clusterId)
      planned.push({ ...target, routeId: route.id, isOwn: route.id === own.id })
    }
    return planned
  },
  move: async (db, planned) => {
    for (const { routeId, isOwn: _own, ...values } of planned) await updateRoute(db, routeId, values)
  },
})

async function requireSource(
  { clusters }: Pick<RoutesDeps, 'clusters'>,
  { cluster_id: id }: RouteRecord,
): Promise<void> {
  if (id === null) throw fail('instance.standalone_unsupported')
  if (!(await clusters.routerOf(id)))
    throw fail('instance.transfer_source_router_unknown', { details: { cluster_id: id } })
}

/** Its visitors come through the ingress of its Cluster (RTE-149). */
function requireCluster({ publication, cluster_id, id, domain }: RouteRecord, next: number): void {
  if (publication === 'public' && cluster_id !== next)
    throw fail('instance.lifecycle_conflict', {
      message: `The Route ${domain} is public: its visitors come through the ingress of its Cluster, so its Instance stays there.`,
      details: { reason: 'route_public', route_id: id, publication },
    })
}
