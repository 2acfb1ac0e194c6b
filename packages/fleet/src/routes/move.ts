import { fail } from '@fleet/contract'
import type { InstanceRoutes } from '#/instances/api.ts'
import { identityOf } from '#/nodes/api.ts'
import { isInTransition, isOwn } from '#/routes/own.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import { nodeScopeOrRefuse } from '#/routes/plan.ts'
import { planTarget } from '#/routes/plan-target.ts'
import { appRoutes, updateRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'

/** Routes keep their ids when their Instance moves to another Node (RTE-148). */
export const makeRouteMoves = (parts: RoutesParts): Pick<InstanceRoutes, 'planMove' | 'move'> => ({
  planMove: async (instance, { isOpen }) => {
    const routes = await appRoutes(parts.store.db, [instance.id])
    const own = routes.find(isOwn)
    if (!own || routes.some(isInTransition) || (!isOpen && own.status !== 'active'))
      throw fail('instance.lifecycle_conflict', { details: { route_status: own?.status ?? null } })
    const { clusterId } = await nodeScopeOrRefuse(parts, instance.node)
    if (clusterId === null)
      throw fail('instance.standalone_unsupported', { details: { node: identityOf(instance.node) } })
    const planned = []
    for (const route of [own, ...routes.filter(({ id }) => id !== own.id)]) {
      await requireSource(parts, route)
      const target = await planTarget(parts, route, instance)
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
  { clusters }: Pick<RoutesParts, 'clusters'>,
  { cluster_id: id }: RouteRecord,
): Promise<void> {
  if (id === null) throw fail('instance.standalone_unsupported')
  if (!(await clusters.routerOf(id)))
    throw fail('instance.transfer_source_router_unknown', { details: { cluster_id: id } })
}

/** Its visitors come through the ingress of its Cluster (RTE-149). */
function requireCluster({ publication, cluster_id, id }: RouteRecord, next: number): void {
  if (publication === 'public' && cluster_id !== next)
    throw fail('instance.lifecycle_conflict', { details: { route_id: id, publication } })
}
