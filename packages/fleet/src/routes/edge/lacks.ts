import type { PublicationLack } from '@fleet/contract'
import type { Database } from '@fleet/store'
import { edgeOf } from '#/routes/edge/queries.ts'
import { type ClusterEdge, isAtEdge, isHeld, isProduction } from '#/routes/edge/rules.ts'
import type { RouteRow } from '#/routes/record.ts'
import { servedRows } from '#/routes/served/queries.ts'

/** Why an active Route that is meant for the public is open to nobody; undefined for any other (RTX-050, RTX-051). */
export async function publicationLackOf(db: Database, route: RouteRow): Promise<PublicationLack | undefined> {
  if (route.kind !== 'app' || route.publication !== 'public' || route.status !== 'active') return undefined
  const targets = await servedRows(db, { routeId: route.id })
  if (!targets.every(({ instance }) => isProduction(instance))) return 'production_target'
  if (route.cluster_id === null) return 'active_cluster'
  return lackOfEdge(await edgeOf(db, route.cluster_id), isAtEdge(route))
}

/** A Cluster without the roles has no edge. What is open stays so while its ingress converges; nothing else is opened by that one. */
function lackOfEdge(edge: ClusterEdge | undefined, isOpen: boolean): PublicationLack | undefined {
  if (edge?.isActive === false) return 'active_cluster'
  if (!edge?.router) return 'router'
  if (!edge.ingress || !(isOpen ? isHeld(edge.ingress) : edge.ingress.status === 'active')) return 'ingress'
  return isOpen ? undefined : 'opening'
}
