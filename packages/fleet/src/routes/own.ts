import type { Database } from '@fleet/store'
import type { OwnRoute, OwnRoutes } from '#/environment/api.ts'
import { appRoutes } from '#/routes/queries.ts'
import type { RouteRecord, RouteRow } from '#/routes/record.ts'
import { targetConflict } from '#/routes/target-conflict.ts'

/**
 * Without a web root, and authoritative: of a pair, the one that is replaced until the cutover, then the replacement (RTE-028,
 * RTE-050).
 */
export const isOwn = (route: RouteRow): boolean =>
  route.web_root === null && !isCandidate(route) && !isReplaced(route)

/** A replacement before its cutover. */
export const isCandidate = ({ replaces_route_id, status }: RouteRow): boolean =>
  replaces_route_id !== null && (status === 'pending' || status === 'failed')

/** It was replaced, and serves only until every resolver has forgotten its name. */
export const isReplaced = ({ replaced_by_route_id, status }: RouteRow): boolean =>
  replaced_by_route_id !== null && status === 'retiring'

/** One of a pair whose change has not ended. */
export const isInTransition = ({ replaces_route_id, replaced_by_route_id }: RouteRow): boolean =>
  replaces_route_id !== null || replaced_by_route_id !== null

/** The own Route of each of these Instances, or of all. */
export async function ownRoutesOf(
  db: Database,
  instanceIds?: readonly number[],
): Promise<ReadonlyMap<number, RouteRecord>> {
  const routes = (await appRoutes(db, instanceIds)).filter(isOwn)
  return new Map(routes.flatMap((route) => route.targets.map(({ instance_id: id }) => [id, route] as const)))
}

/**
 * An Instance has one Route without a web root (RTE-079, RTE-138); `requested` is the Route that would be another, unless it is new.
 * Throws `route.target_conflict`.
 */
export async function requireNoOwn(
  { store }: { readonly store: { readonly db: Database } },
  instanceId: number,
  requested?: number,
): Promise<void> {
  const own = (await ownRoutesOf(store.db, [instanceId])).get(instanceId)
  if (own)
    throw targetConflict({
      requested,
      existing: own.id,
      instances: [instanceId],
      message: `The Instance already has a Route without a web root: ${own.domain}. Send a \`web_root\`, or change that domain with \`fleet route:update\`.`,
    })
}

/** Fills the port of the environment (ENV-022 to ENV-024, ENV-040). */
export const makeOwnRoutes = (): OwnRoutes => ({
  ownRoute: async (instanceId, db): Promise<OwnRoute | undefined> => {
    const route = (await ownRoutesOf(db, [instanceId])).get(instanceId)
    return (
      route && {
        domain: route.domain,
        healthy: route.status === 'active',
        inTransition: isInTransition(route),
      }
    )
  },
})
