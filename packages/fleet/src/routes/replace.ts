import type { RouteData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { presentRoute } from '#/routes/present.ts'
import { findByDomain, findRoute, routesByIds } from '#/routes/queries.ts'
import { replacementRows } from '#/routes/steps/replacement/queries.ts'
import { performReplacement } from '#/routes/steps/replacement/list.ts'
import type { Replacement, RouteChange } from '#/routes/steps/replacement/replacement.ts'
import { endWebRootChange } from '#/routes/web-root/change.ts'

type ReplacingDeps = Replacement['deps'] & Parameters<typeof endWebRootChange>[0]

/**
 * Replaces Routes by others with another domain, all at once, and waits once for all of them. Resumes where an earlier request
 * stopped: before the cutover it begins again, afterwards it only goes forward. The locks of the Routes and of their Instances are held. Throws
 * `route.domain_conflict` and what the steps throw.
 */
export async function replaceRoutes(
  deps: ReplacingDeps,
  call: Call,
  changes: readonly RouteChange[],
  how: Pick<Replacement, 'isPrepared'> = {},
): Promise<readonly RouteData[]> {
  if (changes.length === 0) return []
  const { db } = deps.store
  await endWebRootChanges(deps, call, changes)
  const before = await routesByIds(
    db,
    changes.map(({ routeId }) => routeId),
  )
  await performReplacement({ ...(await replacementFrom(deps, call, changes)), ...how })
  const replaced: RouteData[] = []
  for (const { routeId, domain } of changes) {
    const route = await findByDomain(db, domain)
    if (!route) throw new Error(`the replacement ${domain} is gone`)
    const data = presentRoute(route)
    // It leads there and the earlier one is gone, whatever becomes of the rest of the request (EV-050, EV-051).
    const gone = before.find(({ id }) => id === routeId)
    if (gone) await call.publish('route.deleted', { id: routeId, domain: gone.domain })
    await call.publish('route.updated', data)
    replaced.push(data)
  }
  return replaced
}

/** What an interrupted change of a web root left would stay with the Route that goes (decision 0206). */
async function endWebRootChanges(
  deps: ReplacingDeps,
  call: Call,
  changes: readonly RouteChange[],
): Promise<void> {
  for (const { routeId } of changes) {
    const route = await findRoute(deps.store.db, routeId)
    if (route?.web_root_change) await endWebRootChange(deps, call, route)
  }
}

/** What the records say of it. */
export async function replacementFrom(
  deps: Replacement['deps'],
  call: Call,
  changes: readonly RouteChange[],
): Promise<Replacement> {
  const { db } = deps.store
  const reserved = await replacementRows(
    db,
    changes.map(({ routeId }) => routeId),
  )
  let isCutOver = false
  for (const { routeId } of changes) isCutOver ||= (await findRoute(db, routeId))?.status === 'retiring'
  return { deps, call, changes, isResumed: reserved.length > 0, isCutOver }
}
