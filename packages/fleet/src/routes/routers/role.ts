import { forgotten } from '#/clusters/api.ts'
import type { NodeSession, RoleStep } from '#/nodes/api.ts'
import { addResidues, routesWhere } from '#/routes/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { buildBehind, routesThrough } from '#/routes/routers/behind.ts'
import { clearSites, deletePlacements, placementsWhere } from '#/routes/routers/queries.ts'
import { routerResidue } from '#/routes/routers/residue.ts'
import { placeOnRouter } from '#/routes/routers/serve.ts'

/** What the role `router` of a Node needs of Routes, which are below it. */
export interface RouterSites {
  /** Every Route of the Cluster with a key of its own; the Nodes behind it trust the Router; then their sites in one build (CLU-026). */
  readonly convergence: readonly RoleStep[]
  /** Names lead elsewhere by then. The sites serve until every resolver knows, and go before their certificates. */
  readonly withdrawal: readonly RoleStep[]
  /** For a Node that does not answer: what it still has is recorded, and cleared when it converges (RTE-177). */
  leaveBehind(session: NodeSession): Promise<void>
}

type Deps = Pick<RoutesDeps, 'store' | 'clock' | 'nodes' | 'certificates' | 'webServer'>

export const makeRouterSites = (deps: Deps): RouterSites => ({
  convergence: [
    { name: 'certificates', run: (session) => placeAll(deps, session) },
    { name: 'workloads', run: (session) => trustBehind(deps, session) },
    { name: 'web-server', run: (session) => build(deps, session) },
  ],
  withdrawal: [
    { name: 'withdrawal-grace', run: (session) => waitForResolvers(deps, session) },
    { name: 'web-server', run: (session) => clearAll(deps, session) },
    { name: 'certificates', run: (session) => withdrawLeaves(deps, session) },
  ],
  leaveBehind: (session) => leaveBehind(deps, session),
})

const trustBehind = async (deps: Deps, { node, call }: NodeSession): Promise<void> =>
  buildBehind(deps, call, await routesThrough(deps.store.db, node))

const build = async ({ webServer }: Deps, session: NodeSession): Promise<void> =>
  void (await webServer.build(session, 'router'))

/** Also Routes that were published while the first ones were placed: whoever publishes one later finds this Router. */
async function placeAll(deps: Deps, session: NodeSession): Promise<void> {
  const { cluster_id } = session.node
  if (cluster_id === null) return
  const seen = new Set<number>()
  for (;;) {
    const found = (await routesWhere(deps.store.db, { cluster_id })).filter(
      ({ id, kind, has_site }) => kind === 'app' && has_site === 1 && !seen.has(id),
    )
    if (found.length === 0) return
    for (const route of found) {
      await placeOnRouter(deps, session, route)
      seen.add(route.id)
    }
  }
}

/** Once for all Routes, and not at all for a Router that serves none. */
async function waitForResolvers(deps: Deps, { node, call }: NodeSession): Promise<void> {
  const placements = await placementsWhere(deps.store.db, { node_id: node.id })
  if (placements.some(({ has_site }) => has_site === 1)) await forgotten(deps, call)
  call.locks.requireHeld()
}

async function clearAll(deps: Deps, session: NodeSession): Promise<void> {
  const { db } = deps.store
  const { id: nodeId } = session.node
  const routeIds = (await placementsWhere(db, { node_id: nodeId })).map(({ route_id }) => route_id)
  await clearSites(db, { routeIds, nodeId })
  await build(deps, session)
}

/** What is behind the Router trusts it until nothing leads there any more. */
async function withdrawLeaves(deps: Deps, session: NodeSession): Promise<void> {
  const { store, certificates } = deps
  const routeIds = await routesThrough(store.db, session.node)
  for (const { id, leaf_scope } of await placementsWhere(store.db, { node_id: session.node.id })) {
    await certificates.withdrawLeaf(session, { scope: leaf_scope })
    await deletePlacements(store.db, [id])
  }
  await buildBehind(deps, session.call, routeIds)
}

async function leaveBehind(deps: Deps, { node, call }: NodeSession): Promise<void> {
  const { store, clock } = deps
  const routeIds = await routesThrough(store.db, node)
  const placements = await placementsWhere(store.db, { node_id: node.id })
  const domains = new Map((await routesWhere(store.db)).map(({ id, domain }) => [id, domain]))
  await store.transaction(async (db) => {
    await addResidues(
      db,
      placements.map((placement) => routerResidue(placement, domains.get(placement.route_id) ?? '', clock)),
    )
    await deletePlacements(
      db,
      placements.map(({ id }) => id),
    )
  })
  await buildBehind(deps, call, routeIds)
}
