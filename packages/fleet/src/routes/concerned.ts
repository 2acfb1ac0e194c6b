import type { MovingRoute, ScopeChange } from '#/clusters/api.ts'
import { routesWhere } from '#/routes/queries.ts'
import type { RoutesParts } from '#/routes/parts.ts'

/**
 * The Routes of Instances on the Nodes of a change. None is movable: no Router serves the Route of another Node yet, so a
 * change that would move one is refused before anything is done (CLU-015). A custom proxy stays where it is (RTE-162).
 */
export async function concernedRoutes(
  { store }: Pick<RoutesParts, 'store'>,
  { moves }: ScopeChange,
): Promise<readonly MovingRoute[]> {
  const found: MovingRoute[] = []
  for (const { nodeId } of moves) {
    for (const route of await routesWhere(store.db, { node_id: nodeId })) {
      if (route.kind !== 'app') continue
      const { id, domain, provenance, status, publication } = route
      found.push({
        id,
        domain,
        nodeId,
        isGenerated: provenance === 'generated',
        isServedInPublic: status === 'active' && publication === 'public',
        isMovable: false,
      })
    }
  }
  return found
}
