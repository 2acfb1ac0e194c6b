import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import type { RouteRow } from '#/routes/record.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import {
  clearSites,
  deletePlacements,
  placementsWhere,
  placeOn,
  type RouterPlacement,
  routerNodes,
} from '#/routes/routers/queries.ts'
import { routerLeaf } from '#/routes/routers/sites.ts'
import { routerScope } from '#/routes/scopes.ts'

type Parts = Pick<RoutesParts, 'store' | 'nodes' | 'certificates' | 'webServer'>
type Route = Pick<RouteRow, 'id' | 'domain' | 'cluster_id'>

/**
 * The Routers that are to serve a Route of a Cluster: the active one, and a candidate beside it. None for a Route of one Node.
 * Throws `route.router_required` for a Cluster without any.
 */
export async function routersFor(
  { store, nodes }: Pick<Parts, 'store' | 'nodes'>,
  { id, cluster_id }: Pick<Route, 'id' | 'cluster_id'>,
): Promise<readonly NodeRecord[]> {
  if (cluster_id === null) return []
  const found: NodeRecord[] = []
  for (const nodeId of await routerNodes(store.db, cluster_id)) {
    const node = await nodes.find(nodeId)
    if (node) found.push(node)
  }
  if (found.length === 0) throw fail('route.router_required', { details: { route_id: id, cluster_id } })
  return found
}

/** Its own key and certificate for each Router; nothing is served with them yet. */
export async function publishRouterLeaves(parts: Parts, call: Call, route: Route): Promise<void> {
  for (const node of await routersFor(parts, route))
    await publishLeaf(parts, parts.nodes.sessions.overTunnel(call, node), route)
}

/**
 * The Route on every Router. Its `has_site` is stored: a Router that became one since the certificates were published either
 * finds it there, or is found here.
 */
export async function serveOnRouters(parts: Parts, call: Call, route: Route): Promise<void> {
  for (const node of await routersFor(parts, route)) {
    const session = parts.nodes.sessions.overTunnel(call, node)
    if (await placeOnRouter(parts, session, route)) await parts.webServer.build(session, 'app-dev')
  }
}

/** Certificate and record; the site is in the next build. False when the Route was withdrawn meanwhile. */
export async function placeOnRouter(parts: Parts, session: NodeSession, route: Route): Promise<boolean> {
  await publishLeaf(parts, session, route)
  const leaf_scope = routerScope(route)
  const isPlaced = await placeOn(parts.store.db, { route_id: route.id, node_id: session.node.id, leaf_scope })
  if (!isPlaced) await parts.certificates.withdrawLeaf(session, { scope: leaf_scope })
  return isPlaced
}

const publishLeaf = async ({ certificates }: Parts, session: NodeSession, route: Route): Promise<void> =>
  void (await certificates.publishLeaf(session, routerLeaf(route, routerScope(route), { reload: false })))

/** Nobody is led here any more: the sites go from every Router. */
export async function withdrawRouterSites(
  parts: Parts,
  call: Call,
  { id }: Pick<Route, 'id'>,
): Promise<void> {
  await clearSites(parts.store.db, { routeIds: [id] })
  for (const { session } of await placed(parts, call, id)) await parts.webServer.build(session, 'app-dev')
}

/** After the builds without them (RTX-095); also where a certificate was published and no site followed (RTX-037). */
export async function withdrawRouterLeaves(parts: Parts, call: Call, route: Route): Promise<void> {
  const found = await placed(parts, call, route.id)
  for (const { placement, session } of found) {
    await parts.certificates.withdrawLeaf(session, { scope: placement.leaf_scope })
    await deletePlacements(parts.store.db, [placement.id])
  }
  const cleared = new Set(found.map(({ session }) => session.node.id))
  for (const nodeId of await routersOf(parts, route)) {
    const node = cleared.has(nodeId) ? undefined : await parts.nodes.find(nodeId)
    if (!node) continue
    const session = parts.nodes.sessions.overTunnel(call, node)
    await parts.certificates.withdrawLeaf(session, { scope: routerScope(route) })
  }
}

const routersOf = async (
  { store }: Pick<Parts, 'store'>,
  { cluster_id }: Route,
): Promise<readonly number[]> => (cluster_id === null ? [] : routerNodes(store.db, cluster_id))

/** Every Router that has something of the Route, also one that is not to be a Router any more. */
async function placed(
  { store, nodes }: Parts,
  call: Call,
  routeId: number,
): Promise<ReadonlyArray<{ readonly placement: RouterPlacement; readonly session: NodeSession }>> {
  const found = []
  for (const placement of await placementsWhere(store.db, { route_id: routeId })) {
    const node = await nodes.find(placement.node_id)
    if (node) found.push({ placement, session: nodes.sessions.overTunnel(call, node) })
  }
  return found
}
