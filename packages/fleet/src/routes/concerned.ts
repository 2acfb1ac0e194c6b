import type { MovingRoute, NodeMove, ScopeChange } from '#/clusters/api.ts'
import { servedRows } from '#/routes/queries.ts'
import { isInTransition } from '#/routes/own.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import type { ServedRoute } from '#/routes/served.ts'

/**
 * The Routes of Instances on the Nodes of a change; a custom proxy stays where it is (RTE-162, RTX-041). Each is checked before
 * the first one moves (RTX-040).
 */
export async function concernedRoutes(
  { store }: Pick<RoutesParts, 'store'>,
  { moves }: ScopeChange,
): Promise<readonly MovingRoute[]> {
  const found: MovingRoute[] = []
  for (const move of moves) {
    for (const served of await servedRows(store.db, { nodeId: move.nodeId })) {
      const { id, domain, provenance, status, publication } = served.route
      found.push({
        id,
        domain,
        nodeId: move.nodeId,
        isGenerated: provenance === 'generated',
        isServedInPublic: status === 'active' && publication === 'public',
        isMovable: isMovable(served, move),
      })
    }
  }
  return found
}

/**
 * What serves now moves as it is. A generated domain that would become another one needs a replacement, and what is being created,
 * changed or removed is left to whoever does that.
 */
const isMovable = ({ route }: ServedRoute, { before, after }: NodeMove): boolean =>
  route.status === 'active' &&
  !isInTransition(route) &&
  (route.provenance === 'explicit' || before.tld === after.tld)
