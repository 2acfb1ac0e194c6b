import { fail, type NodeIdentity } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { identityOf, type NodeRecord, type NodeSession, silentCode } from '#/nodes/api.ts'
import { addResidues } from '#/routes/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import {
  clearSites,
  deletePlacements,
  expectOn,
  placementsWhere,
  placeOn,
  type RouterPlacement,
  routerNodes,
} from '#/routes/routers/queries.ts'
import { routerResidue } from '#/routes/routers/residue.ts'
import { routerLeaf } from '#/routes/routers/sites.ts'
import { routerScope } from '#/routes/scopes.ts'

type Deps = Pick<RoutesDeps, 'store' | 'nodes' | 'certificates' | 'webServer'>
type Route = Pick<RouteRow, 'id' | 'domain' | 'cluster_id'>

/**
 * The Routers that are to serve a Route of a Cluster: the active one, and a candidate beside it. None for a Route of one Node.
 * Throws `route.router_required` for a Cluster without any.
 */
export async function routersFor(
  { store, nodes }: Pick<Deps, 'store' | 'nodes'>,
  { id, cluster_id }: Pick<Route, 'id' | 'cluster_id'>,
): Promise<readonly NodeRecord[]> {
  if (cluster_id === null) return []
  const nodeIds = await routerNodes(store.db, cluster_id)
  const found = (await Promise.all(nodeIds.map((nodeId) => nodes.find(nodeId)))).flatMap((node) => node ?? [])
  if (found.length === 0) throw fail('route.router_required', { details: { route_id: id, cluster_id } })
  return found
}

/** Known to the Nodes of the Route before they are built: they trust the Routers that will lead to them. */
export async function expectRouters(deps: Pick<Deps, 'store' | 'nodes'>, route: Route): Promise<void> {
  const leaf_scope = routerScope(route)
  for (const { id: node_id } of await routersFor(deps, route))
    await expectOn(deps.store.db, { route_id: route.id, node_id, leaf_scope })
}

/** Its own key and certificate for each Router; nothing is served with them yet. */
export async function publishRouterLeaves(deps: Deps, call: Call, route: Route): Promise<void> {
  for (const node of await routersFor(deps, route))
    await publishLeaf(deps, deps.nodes.sessions.overTunnel(call, node), route)
}

/**
 * The Route on every Router. Its `has_site` is stored: a Router that became one since the certificates were published either
 * finds it there, or is found here.
 */
export async function serveOnRouters(deps: Deps, call: Call, route: Route): Promise<void> {
  for (const node of await routersFor(deps, route)) {
    const session = deps.nodes.sessions.overTunnel(call, node)
    if (await placeOnRouter(deps, session, route)) await deps.webServer.build(session, 'app-dev')
  }
}

/** Certificate and record; the site is in the next build. False when the Route was withdrawn meanwhile. */
export async function placeOnRouter(deps: Deps, session: NodeSession, route: Route): Promise<boolean> {
  await publishLeaf(deps, session, route)
  const leaf_scope = routerScope(route)
  const isPlaced = await placeOn(deps.store.db, { route_id: route.id, node_id: session.node.id, leaf_scope })
  if (!isPlaced) await withdrawPlaced(deps, session, route)
  return isPlaced
}

/** Recorded first: a certificate of a request that ended here is found by whoever removes the Route. */
async function publishLeaf({ store, certificates }: Deps, session: NodeSession, route: Route): Promise<void> {
  const leaf_scope = routerScope(route)
  await expectOn(store.db, { route_id: route.id, node_id: session.node.id, leaf_scope })
  await certificates.publishLeaf(session, { ...routerLeaf(route, leaf_scope), isLoadedLater: true })
}

async function withdrawPlaced(
  { store: { db }, certificates }: Deps,
  session: NodeSession,
  route: Route,
): Promise<void> {
  await certificates.withdrawLeaf(session, { scope: routerScope(route) })
  const placements = await placementsWhere(db, { route_id: route.id, node_id: session.node.id })
  await deletePlacements(
    db,
    placements.map(({ id }) => id),
  )
}

/** Nobody is led here any more: the sites go from every Router. Throws `route.node_unreachable`, which names a silent Router. */
export async function withdrawRouterSites(deps: Deps, call: Call, { id }: Pick<Route, 'id'>): Promise<void> {
  await clearSites(deps.store.db, { routeIds: [id] })
  for (const { session } of await placed(deps, call, id))
    await namingRouter(session.node, 'caddy', () => deps.webServer.build(session, 'app-dev'))
}

/** After the builds without them (RTX-095). */
export async function withdrawRouterLeaves(deps: Deps, call: Call, { id }: Pick<Route, 'id'>): Promise<void> {
  for (const { placement, session } of await placed(deps, call, id)) {
    const { leaf_scope: scope } = placement
    await namingRouter(session.node, 'certificate', () => deps.certificates.withdrawLeaf(session, { scope }))
    await deletePlacements(deps.store.db, [placement.id])
  }
}

/** A Router that does not answer is the Node of the error, whichever Node the Instance is on. */
async function namingRouter(router: NodeRecord, step: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw unreachableRouter(identityOf(router), { step, cause })
  }
}

/** The cause itself where it does not say that a Node is silent. */
export function unreachableRouter(
  router: NodeIdentity,
  { step, cause }: { readonly step: string; readonly cause: unknown },
): unknown {
  const code = silentCode(cause)
  if (code === undefined) return cause
  return fail('route.node_unreachable', {
    message: `The Router ${router.name} does not answer. Check it with \`fleet doctor:run --node ${router.id}\` and run the same command again. A removal gets past it with \`--offline\`: what the Router still has is then removed when it converges.`,
    details: { node: router, step, error_code: code },
    cause,
  })
}

/**
 * Routers that do not answer keep what they have of the Route: that is recorded, and removed when they converge (RTE-175 to
 * RTE-177). Returns them.
 */
export async function leaveSilentRouters(
  deps: Deps & Pick<RoutesDeps, 'clock'>,
  call: Call,
  { id, domain }: Pick<Route, 'id' | 'domain'>,
): Promise<readonly NodeRecord[]> {
  const silent: NodeRecord[] = []
  for (const { placement, session } of await placed(deps, call, id)) {
    const { node } = session
    if (node.status === 'active' && (await deps.nodes.answers(call, node))) continue
    await deps.store.transaction(async (db) => {
      await addResidues(db, [routerResidue(placement, domain, deps.clock)])
      await deletePlacements(db, [placement.id])
    })
    silent.push(node)
  }
  return silent
}

/** Every Router that has something of the Route, also one that is not to be a Router any more. */
async function placed(
  { store, nodes }: Deps,
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
