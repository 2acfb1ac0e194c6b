import type { Caller } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { presentRoute } from '#/routes/present.ts'
import { routesWhere } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'

/** By id: Routes that the caller may show one by one (GW-009, RTX-001). */
export const makeList =
  (deps: RoutesDeps): Handler<'route:list'> =>
  async ({ call }) => {
    if (!call.caller) return { data: [] }
    const mayShow = await makeMayShow(deps, call.caller)
    const shown: RouteRecord[] = []
    for (const route of await routesWhere(deps.store.db)) if (await mayShow(route)) shown.push(route)
    return { data: shown.map(presentRoute) }
  }

async function makeMayShow(
  { nodes, clusters }: RoutesDeps,
  caller: Caller,
): Promise<(route: RouteRecord) => Promise<boolean>> {
  const addressable = await nodes.addressable(caller)
  const hasGatewayGrant = await nodes.hasGatewayGrant(caller)
  const byCluster = new Map<number, boolean>()
  return async ({ node_id, cluster_id }) => {
    if (node_id !== null) return addressable.has(node_id)
    if (cluster_id === null) return false
    const known = byCluster.get(cluster_id)
    if (known !== undefined) return known
    const { members = [] } = (await clusters.find(cluster_id)) ?? {}
    const may = members.length === 0 ? hasGatewayGrant : members.every(({ id }) => addressable.has(id))
    byCluster.set(cluster_id, may)
    return may
  }
}
