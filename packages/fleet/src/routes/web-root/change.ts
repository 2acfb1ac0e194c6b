import { fail, type RouteData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Outcome } from '#/handler.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { presentRoute } from '#/routes/present.ts'
import { publishingKept } from '#/routes/publish-kept.ts'
import { findRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import type { PublicationDeps } from '#/routes/steps/publication.ts'
import { requireSettledPair } from '#/routes/target.ts'
import { webRootInstance } from '#/routes/web-root/rules.ts'
import { giveUpWebRoot, performWebRoot } from '#/routes/web-root/steps/list.ts'
import type { WebRootUpdate } from '#/routes/web-root/steps/update.ts'

type Deps = PublicationDeps & Pick<RoutesDeps, 'instances'>

/**
 * Another web root for a Route that keeps id and domain; null for that of its Instance (RTE-068). The identical request finishes
 * what an earlier one began. Any other one first takes back what was not committed, or finishes what was, so no web root that
 * cannot be served locks a Route.
 */
export async function changeWebRoot(
  deps: RoutesDeps,
  call: Call,
  route: RouteRecord,
  webRoot: string | null,
): Promise<Outcome<RouteData>> {
  requireSettledPair(route)
  const { web_root_change: recorded } = route
  const isResumed = recorded?.phase === 'wanted' && recorded.web_root === webRoot
  const current = recorded && !isResumed ? await endWebRootChange(deps, call, route) : route
  if (current.web_root === webRoot) return answered(call, current, recorded !== null)
  const { node } = await webRootInstance(deps, current, webRoot)
  const update = { deps, call, node, routeId: route.id, webRoot, isResumed, isCommitted: false }
  await perform(update)
  return answered(call, await found(deps, route.id), true)
}

/** The Route without the change that an earlier request left. */
export async function endWebRootChange(deps: Deps, call: Call, route: RouteRecord): Promise<RouteRecord> {
  const update = await endingOf(deps, call, route)
  if (update) await (update.isCommitted ? perform(update) : giveUpWebRoot(update))
  return found(deps, route.id)
}

async function endingOf(
  deps: Deps,
  call: Call,
  { id, targets, web_root, web_root_change }: RouteRecord,
): Promise<WebRootUpdate | undefined> {
  const instance = await deps.instances.find(targets[0]?.instance_id ?? 0)
  if (!instance) return undefined
  const isCommitted = web_root_change?.phase === 'left'
  return { deps, call, node: instance.node, routeId: id, webRoot: web_root, isResumed: true, isCommitted }
}

/** Once it is committed the Route is another one than before. */
const perform = (update: WebRootUpdate): Promise<void> => {
  const { deps, call, routeId, webRoot } = update
  const isKept = (routes: readonly RouteRecord[]): boolean => routes[0]?.web_root === webRoot
  return publishingKept(deps, call, { routeIds: [routeId], isKept }, () => performWebRoot(update))
}

async function found({ store }: Pick<RoutesDeps, 'store'>, id: number): Promise<RouteRecord> {
  const route = await findRoute(store.db, id)
  if (!route) throw fail('route.not_found')
  return route
}

function answered(call: Call, route: RouteRecord, isChanged: boolean): Outcome<RouteData> {
  const data = presentRoute(route)
  if (isChanged) call.event('route.updated', data)
  return { data }
}
