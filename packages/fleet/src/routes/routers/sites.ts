import { leafFile, type LeafPlacement, type PublishedLeaf } from '#/certificates/api.ts'
import { lockOf } from '#/locks/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { routesWhere } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import { placementsWhere, type RouterPlacement } from '#/routes/routers/queries.ts'
import { CADDY } from '#/routes/scopes.ts'
import { isLeaving, localSocket, type ServedRoute, trusting } from '#/routes/served.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { CADDY_UNIT, type PoolTarget, type Site, type SiteHandler } from '#/web-server/api.ts'

type Db = RoutesDeps['store']

export const routerLeaf = ({ domain }: Pick<RouteRow, 'domain'>, scope: string): PublishedLeaf => ({
  scope,
  names: [domain],
  addresses: [],
  owner: CADDY,
  reload: CADDY_UNIT,
})

/** A Route that a Router serves, with its certificate there and the Instances that it leads to. */
export interface RoutedRoute {
  readonly route: RouteRow
  readonly placement: RouterPlacement
  readonly targets: readonly ServedRoute[]
}

/** Routes whose site belongs into the file of this Router. */
export async function routedOn({ db }: Db, nodeId: number): Promise<readonly RoutedRoute[]> {
  const placements = (await placementsWhere(db, { node_id: nodeId })).filter(({ has_site }) => has_site === 1)
  if (placements.length === 0) return []
  const routes = new Map((await routesWhere(db)).map((route) => [route.id, route]))
  const served = await servedRows(db, { routeIds: placements.map(({ route_id }) => route_id) })
  const targets = Map.groupBy(served, ({ route }) => route.id)
  return placements.flatMap((placement) => {
    const route = routes.get(placement.route_id)
    return route ? [{ route, placement, targets: targets.get(route.id) ?? [] }] : []
  })
}

interface RouterPlace {
  readonly trust?: 'system' | undefined
  /** Whose word on the client counts. */
  readonly trusts: readonly string[]
}

/** Requests in turn to the Nodes of the Instances, each verified by the root of the fleet (RTX-046 to RTX-048, RTX-089). */
export function routerSite(
  node: NodeRecord,
  routed: RoutedRoute,
  { trust, trusts }: RouterPlace,
): readonly Site[] {
  const { route, placement } = routed
  const addresses = [node.wireguard_ip, node.lan_ip].filter((address) => address !== null)
  if (addresses.length === 0) return []
  return [
    {
      source: 'router',
      scope: placement.leaf_scope,
      domain: route.domain,
      listener: { kind: 'tcp', addresses },
      tls: { kind: 'leaf', file: leafFile(placement.leaf_scope) },
      handler: routerHandler(node, routed, trust),
      ...trusting(trusts),
    },
  ]
}

/** `system`: one of the servers presents a public certificate (RTX-057). */
export const routerHandler = (
  node: NodeRecord,
  { route, targets }: RoutedRoute,
  trust?: 'system',
): SiteHandler =>
  isLeaving(route)
    ? { kind: 'unavailable' }
    : {
        kind: 'pool',
        targets: targets.flatMap((target) => targetOf(node, target)),
        ...(trust === undefined ? {} : { trust }),
      }

/** The LAN is for two that are both on it; there is no other way to a Node whose LAN fails (RTX-046). */
function targetOf(router: NodeRecord, served: ServedRoute): readonly PoolTarget[] {
  const { instance } = served
  if (instance.node_id === router.id) return [{ kind: 'unix', path: localSocket(served) }]
  const address =
    router.lan_ip === null ? instance.node_address : (instance.node_lan ?? instance.node_address)
  return address === null ? [] : [{ kind: 'tcp', address }]
}

/** Certificates that Routers present, each renewed under the lock of its Route. */
export async function routerLeaves({ db }: Db): Promise<readonly LeafPlacement[]> {
  const placements = (await placementsWhere(db, {})).filter(({ has_site }) => has_site === 1)
  if (placements.length === 0) return []
  const routes = new Map((await routesWhere(db)).map((route) => [route.id, route]))
  return placements.flatMap(({ route_id, node_id, leaf_scope }) => {
    const route = routes.get(route_id)
    if (!route) return []
    const leaf = routerLeaf(route, leaf_scope)
    return [{ nodeId: node_id, lock: lockOf('route', route.id), leaf }]
  })
}
