import type { Database } from '@fleet/store'
import type { MovingRoute, NodeMove, ScopeChange } from '#/clusters/api.ts'
import { generatedDomainsAfter, type NextDomain } from '#/routes/generated.ts'
import { isInTransition } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { recordedSets } from '#/routes/pools/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { ServedRoute } from '#/routes/served.ts'

type Deps = Pick<RoutesDeps, 'network'> & { readonly store: Pick<RoutesDeps['store'], 'db'> }

/**
 * The Routes of Instances on the Nodes of a change; a custom proxy stays where it is (RTE-162, RTX-041). Each is checked before
 * the first one moves (RTX-040). A replacement that has not ended is reported as the Route that it replaces.
 */
export async function concernedRoutes(
  { store, network }: Deps,
  { moves }: ScopeChange,
  db: Database = store.db,
): Promise<readonly MovingRoute[]> {
  const byMove = []
  for (const move of moves)
    for (const served of await servedRows(db, { nodeId: move.nodeId })) byMove.push({ move, served })
  const pinned = await pinnedRoutes(
    db,
    byMove.map(({ served }) => served.route.id),
  )
  const next = await generatedDomainsAfter(
    { store: { db }, network },
    byMove.flatMap(({ move, served }) =>
      isRenamed(served, move) && move.after.tld !== null ? [{ served, tld: move.after.tld }] : [],
    ),
  )
  const routes = new Map(byMove.map(({ served }) => [served.route.id, served]))
  return byMove.flatMap(({ move, served }) =>
    routes.has(served.route.replaces_route_id ?? 0)
      ? []
      : pinRoute(movingRoute(served, move, next.get(served.route.id)), pinned),
  )
}

/** Instances on several Nodes keep the Route in its Cluster, and so does a set of targets that has not ended. */
async function pinnedRoutes(db: Database, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const served = Map.groupBy(await servedRows(db, { routeIds: ids, isMoving: true }), ({ route }) => route.id)
  const pools = [...served].flatMap(([id, targets]) => (targets.length > 1 ? [id] : []))
  const sets = await recordedSets(db)
  return new Set([...pools, ...sets.flatMap(({ target_set: set }) => set.pools.map((pool) => pool.route_id))])
}

const pinRoute = (route: MovingRoute, pinned: ReadonlySet<number>): MovingRoute =>
  pinned.has(route.id) ? { ...route, isMovable: false } : route

const isRenamed = ({ route }: ServedRoute, { before, after }: NodeMove): boolean =>
  route.provenance === 'generated' && before.tld !== after.tld

function movingRoute(served: ServedRoute, { nodeId }: NodeMove, next: NextDomain | undefined): MovingRoute {
  const { id, domain, provenance, status, publication } = served.route
  return {
    id,
    domain,
    nodeId,
    isGenerated: provenance === 'generated',
    isServedInPublic: status === 'active' && publication === 'public',
    isMovable: isMovable(served, next),
    ...(next && next.domain !== domain ? { nextDomain: next.domain } : {}),
    ...(next?.refusal ? { refusal: next.refusal } : {}),
  }
}

/** What serves now moves. A replacement that a repeat of the same change finishes moves too; any other transition has to end first. */
const isMovable = ({ route }: ServedRoute, next: NextDomain | undefined): boolean =>
  isInTransition(route) ? next?.isBegun === true : route.status === 'active'
