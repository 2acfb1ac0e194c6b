import type { Database } from '@fleet/store'
import { edgeOf, edgesOf, publicRoutesIn } from '#/routes/edge/queries.ts'
import { isAtEdge, isProduction, isServing, type ServingEdge } from '#/routes/edge/rules.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import type { ServedRoute } from '#/routes/served.ts'

/** A public Route with its way in, and the Instances that it leads to. */
export interface PublicRoute {
  readonly route: RouteRow
  readonly edge: ServingEdge
  readonly targets: readonly ServedRoute[]
}

/** What visitors from outside reach: a projection of the records, so it waits until all conditions are met (RTX-050, RTX-051). */
export async function publicRoutes(
  db: Database,
  isOf: (edge: ServingEdge) => boolean = () => true,
): Promise<readonly PublicRoute[]> {
  const found: PublicRoute[] = []
  for (const edge of (await edgesOf(db)).filter(isServing).filter(isOf)) {
    const routes = (await publicRoutesIn(db, edge.clusterId)).filter(isAtEdge)
    if (routes.length === 0) continue
    const served = await servedRows(db, { routeIds: routes.map(({ id }) => id) })
    const byRoute = Map.groupBy(served, ({ route }) => route.id)
    for (const route of routes) {
      const targets = byRoute.get(route.id) ?? []
      if (targets.every(({ instance }) => isProduction(instance))) found.push({ route, edge, targets })
    }
  }
  return found
}

/** Those that this Node serves as an ingress. */
export const publicRoutesOn = (db: Database, nodeId: number): Promise<readonly PublicRoute[]> =>
  publicRoutes(db, ({ ingress }) => ingress.nodeId === nodeId)

/** What others need to know of the public edge. */
export interface PublicEdge {
  /** Whether the ports of the Node are open to everybody (FW-029). */
  servesPublicRoutes(nodeId: number): Promise<boolean>
  /** Domains of the Routes that need the Node as their ingress, whatever their status (RTE-171). */
  domainsBehind(nodeId: number): Promise<readonly string[]>
}

export const makePublicEdge = (db: Database): PublicEdge => ({
  servesPublicRoutes: async (nodeId) => (await publicRoutesOn(db, nodeId)).length > 0,
  domainsBehind: async (nodeId) => {
    const domains: string[] = []
    for (const { clusterId, ingress } of await edgesOf(db))
      if (ingress?.nodeId === nodeId)
        domains.push(...(await publicRoutesIn(db, clusterId)).map(({ domain }) => domain))
    return domains
  },
})

/** The edge of the Route's Cluster. */
export const edgeOfRoute = (db: Database, { cluster_id }: Pick<RouteRow, 'cluster_id'>) =>
  edgeOf(db, cluster_id)
