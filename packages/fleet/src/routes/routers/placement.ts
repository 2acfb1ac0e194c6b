import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import * as z from 'zod'
import type { Call } from '#/call.ts'
import {
  beginGrace,
  isPostponed,
  type NodeMove,
  type ScopeChange,
  type Withdrawal,
  withdrawingLater,
} from '#/clusters/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { presentRoute } from '#/routes/present.ts'
import { findRoute, updateRoute } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import type { RouteRow } from '#/routes/record.ts'
import type { ServedRoute } from '#/routes/served.ts'
import { buildBehind } from '#/routes/routers/behind.ts'
import { clearSites, deletePlacements, stalePlacements } from '#/routes/routers/queries.ts'
import { placeOnRouter, routersFor } from '#/routes/routers/serve.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

type Deps = Pick<RoutesDeps, 'store' | 'clock' | 'nodes' | 'certificates' | 'webServer' | 'names'>

const WITHDRAW = 'route:withdraw-placements'
const payload = z.strictObject({ cluster_id: z.int() })
const withdrawalOf = (clusterId: number): Withdrawal => ({
  kind: WITHDRAW,
  key: String(clusterId),
  payload: { cluster_id: clusterId },
})

/** Routes that leave the Cluster stay on its Routers until their grace is over, which is work of its own (RTX-043, RTX-044). */
export const withdrawingMoved = (deps: Deps, clusterId: number, change: () => Promise<void>): Promise<void> =>
  withdrawingLater(deps, withdrawalOf(clusterId), change)

/** Publishes names once the Routes that enter the Cluster are on its Routers. */
export async function publishMoves(
  deps: Deps,
  call: Call,
  change: ScopeChange,
  publishNames: () => Promise<void>,
): Promise<void> {
  await prepareMoves(deps, call, change)
  await publishNames()
}

/** In one build for each Router, each Route with a key of its own; nobody is led there yet. */
async function prepareMoves(deps: Deps, call: Call, change: ScopeChange): Promise<void> {
  const entering = change.moves.filter(({ before, after }) => isEntering(before, after))
  for (const router of await routersOf(deps, change, entering))
    await placeEntering(deps, call, change.clusterId, { entering, router })
}

const isEntering = (before: NodeMove['before'], after: NodeMove['after']): boolean =>
  after.clusterId !== null && after.clusterId !== before.clusterId

/** A Cluster may become active without a Router while its Nodes serve nothing. */
async function routersOf(
  deps: Deps,
  { clusterId }: ScopeChange,
  entering: readonly NodeMove[],
): Promise<readonly NodeRecord[]> {
  for (const { nodeId } of entering)
    if ((await servedRows(deps.store.db, { nodeId })).length > 0)
      return routersFor(deps, { id: 0, cluster_id: clusterId })
  return []
}

async function placeEntering(
  deps: Deps,
  call: Call,
  clusterId: number,
  { entering, router }: { readonly entering: readonly NodeMove[]; readonly router: NodeRecord },
): Promise<void> {
  const session = deps.nodes.sessions.overTunnel(call, router)
  const routeIds: number[] = []
  for (const { nodeId } of entering)
    for (const { route } of await servedRows(deps.store.db, { nodeId })) {
      await placeOnRouter(deps, session, { id: route.id, domain: route.domain, cluster_id: clusterId })
      routeIds.push(route.id)
    }
  await buildBehind(deps, call, routeIds)
  await deps.webServer.build(session, 'router')
}

/** A Route keeps its id when only its scope changes (CLU-025). Throws `route.reconciliation_required`. */
export const storeMoves = (db: Database, change: ScopeChange, routeIds: readonly number[]): Promise<void> =>
  eachMoving(db, change, async ({ route }, values) => {
    if (!routeIds.includes(route.id))
      throw fail('route.reconciliation_required', {
        details: { route: { id: route.id, domain: route.domain } },
      })
    await updateRoute(db, route.id, values)
  })

/** Of a change that is undone: a Route that was created meanwhile, and may be why, never had another scope. */
export const restoreMoves = (db: Database, change: ScopeChange, routeIds: readonly number[]): Promise<void> =>
  eachMoving(db, change, async ({ route }, values) => {
    if (routeIds.includes(route.id)) await updateRoute(db, route.id, values)
  })

type Scope = Pick<RouteRow, 'node_id' | 'cluster_id'>

async function eachMoving(
  db: Database,
  { moves }: ScopeChange,
  move: (served: ServedRoute, scope: Scope) => Promise<void>,
): Promise<void> {
  for (const { nodeId, before, after } of moves) {
    if (before.clusterId === after.clusterId) continue
    const scope = { node_id: after.clusterId === null ? nodeId : null, cluster_id: after.clusterId }
    for (const served of await servedRows(db, { nodeId })) await move(served, scope)
  }
}

/** Under the lock of the Cluster: none of its changes is between its preparation and its record. */
export const makePlacementKinds = (deps: Deps): readonly WorkKind[] => [
  workKind({
    name: WITHDRAW,
    payload,
    run: async (call, { cluster_id }) => {
      const withdrawal = withdrawalOf(cluster_id)
      if (!(await isNamed(deps, call, withdrawal))) return
      await holding(deps.store, call, lockOf('cluster', cluster_id), async () => {
        if (await isPostponed(deps, withdrawal)) return
        await withdrawStale(deps, call, cluster_id)
      })
    },
  }),
]

/**
 * A change that failed may have left names that lead to its Routers. Those are published as the records are; until resolvers have
 * forgotten the others both sides serve, and the work comes again after that grace (RTX-045). An attempt that fails may have
 * published them.
 */
async function isNamed(deps: Deps, call: Call, withdrawal: Withdrawal): Promise<boolean> {
  let published: 'changed' | 'unchanged' = 'changed'
  try {
    published = await deps.names.confirm(call)
  } finally {
    if (published === 'changed') await beginGrace(deps, withdrawal)
  }
  return published === 'unchanged'
}

/** What the Routers of a Cluster still have of Routes that are not its own any more. */
async function withdrawStale(deps: Deps, call: Call, clusterId: number): Promise<void> {
  const { db } = deps.store
  const byNode = Map.groupBy(await stalePlacements(db, clusterId), ({ node_id }) => node_id)
  for (const [nodeId, placements] of byNode) {
    const node = await deps.nodes.find(nodeId)
    if (!node) continue
    const session = deps.nodes.sessions.overTunnel(call, node)
    await clearSites(db, { routeIds: placements.map(({ route_id }) => route_id), nodeId })
    await deps.webServer.build(session, 'router')
    for (const { id, leaf_scope } of placements) {
      await deps.certificates.withdrawLeaf(session, { scope: leaf_scope })
      await deletePlacements(db, [id])
    }
    await buildBehind(
      deps,
      call,
      placements.map(({ route_id }) => route_id),
    )
  }
}

/** `route.updated` of each Route that moved (CLU-012). At once, since what follows may fail. */
export async function publishMoved(
  { store }: Pick<Deps, 'store'>,
  call: Call,
  routeIds: readonly number[],
): Promise<void> {
  for (const id of routeIds) {
    const route = await findRoute(store.db, id)
    if (route) await call.publish('route.updated', presentRoute(route))
  }
}
