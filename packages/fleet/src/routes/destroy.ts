import { fail, type RetainedRouteData, type RouteStatus } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { type NodeRecord, sessionUnlessOffline, silentAmong } from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { giveUpFor } from '#/routes/pools/give-up.ts'
import { presentRoute } from '#/routes/present.ts'
import { findRoute, retainedOf } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { edgeOf } from '#/routes/edge/queries.ts'
import { isLive } from '#/routes/edge/rules.ts'
import { isProductionRow } from '#/routes/production/place.ts'
import { routersFor } from '#/routes/routers/serve.ts'
import { leaveRoute } from '#/routes/steps/leaving.ts'
import { REMOVAL_STEPS, type Removal as ProxyRemoval, removeRoute } from '#/routes/steps/removal.ts'
import { withdrawRoute } from '#/routes/steps/withdrawal.ts'
import type { ServedRoute } from '#/routes/served.ts'
import { requireSettledTargets } from '#/routes/target.ts'
import { targetConflict } from '#/routes/target-conflict.ts'
import { underLocks } from '#/routes/under-locks.ts'
import { replacementFrom } from '#/routes/replace.ts'
import { withdrawReplacement } from '#/routes/steps/replacement/withdrawal.ts'
import { isCandidate, isInTransition, isReplaced } from '#/routes/own.ts'

type Removal = ProxyRemoval & {
  readonly deps: RoutesDeps
  readonly served: ServedRoute | undefined
  readonly offline: boolean
}

/** Removes a Route in the order of RTX-063; with `offline` also where its Node does not answer (RTE-174 to RTE-177). */
export const makeDestroy =
  (deps: RoutesDeps): Handler<'route:destroy'> =>
  async ({ call, input, found }) => {
    call.note.subject('route', input.route)
    call.note.property('offline', input.offline)
    await giveUpFor(deps, call, { id: input.route, found: found?.route })
    return underLocks(deps, call, { id: input.route, found: found?.route }, async (route) => {
      if (route.kind === 'analytics_tracking') throw ofAnalytics(route)
      await requireSettledTargets(deps, route)
      const [served] = await servedRows(deps.store.db, { routeId: route.id })
      requireSameOwner(route, found?.route, served)
      await requireNoUnfinished(deps, route)
      if (isLive(route, await edgeOf(deps.store.db, route.cluster_id))) throw open(route)
      if (!isRemovable(route)) throw targeted(route)
      const node = await nodeOf(deps, route, served)
      call.note.target(node.id)
      const session = await sessionUnlessOffline(deps.nodes, call, node, input.offline)
      const removal = { deps, call, route, node, session, served, offline: input.offline }
      const retained_on_nodes = [...(await remove(removal))]
      const { id, domain } = route
      call.event('route.deleted', { id, domain })
      return { data: { ...presentRoute(route), retained_on_nodes } }
    })
  }

/**
 * Whoever removes a Route that leads nowhere does not mean one that got an Instance since: while the request waited, or since a
 * removal of it failed (RTX-062). Throws `env.owner_changed`.
 */
function requireSameOwner(
  route: RouteRecord,
  asked: RouteRecord | undefined,
  served: ServedRoute | undefined,
): void {
  const { id, kind, status, failed_step, targets, web_root } = route
  if (kind !== 'app' || targets.length === 0 || isCandidate(route)) return
  // A creation that was undone names one of the same steps, and such a Route never gets another Instance (RTE-058, RTE-156).
  const isTakenBack = web_root !== null && served !== undefined && isProductionRow(served.instance)
  const hasFailedWithout =
    !isTakenBack && status === 'failed' && failed_step !== null && REMOVAL_STEPS.includes(failed_step)
  if (hasFailedWithout || asked?.targets.length === 0)
    throw fail('env.owner_changed', {
      details: { existing_route_id: id, instance_ids: targets.map(({ instance_id }) => instance_id) },
    })
}

/** That of its Instance; for one of a Cluster that leads nowhere, a Router. */
async function nodeOf(
  deps: RoutesDeps,
  route: RouteRecord,
  served: ServedRoute | undefined,
): Promise<NodeRecord> {
  const [router] = served || route.node_id !== null ? [] : await routersFor(deps, route)
  const node = router ?? (await deps.nodes.find(served?.instance.node_id ?? route.node_id ?? 0))
  if (!node) throw fail('route.not_found')
  return node
}

/**
 * The own Route of an Instance is removed with it: the Instance would be active and served by nothing (RTE-028, RTE-094). One
 * whose creation did not end serves nobody, and a removal that began ends.
 */
const isRemovable = (route: RouteRecord): boolean =>
  route.kind === 'custom_proxy' ||
  route.targets.length === 0 ||
  isCandidate(route) ||
  (route.web_root !== null && !isInTransition(route)) ||
  (ENDABLE.includes(route.status) && !isInTransition(route))

const ENDABLE: readonly RouteStatus[] = ['activating', 'retiring', 'failed']

async function remove(removal: Removal): Promise<readonly RetainedRouteData[]> {
  const { deps, call, route, node, session, served, offline } = removal
  if (route.replaces_route_id !== null) await giveReplacementUp(removal, route.replaces_route_id)
  else if (!served) return removeRoute({ ...removal, ...(offline ? { silent: [] } : {}) })
  else if (!session) await leaveRoute({ deps, call, node, served })
  else {
    const withdrawal = { deps, call, session, node, served, ends: 'deleted', keepsCheckout: true } as const
    await withdrawRoute({ ...withdrawal, ...(offline ? { silent: [] } : {}) })
  }
  return offline ? retainedOf(deps.store.db, route.id) : []
}

/** Each Node of a pool is judged by itself: one that does not answer keeps what it has (RTE-175 to RTE-177, RTX-065). */
async function giveReplacementUp(
  { deps, call, route, node, offline }: Removal,
  routeId: number,
): Promise<void> {
  const replacement = await replacementFrom(deps, call, [{ ...route, routeId }])
  const silent = offline ? await silentTargets(deps, call, route) : undefined
  await withdrawReplacement({ ...replacement, ...(silent ? { silent } : {}) }, node)
}

async function silentTargets(
  deps: RoutesDeps,
  call: Call,
  { id }: RouteRecord,
): Promise<readonly NodeRecord[]> {
  const served = await servedRows(deps.store.db, { routeId: id })
  const nodeIds = served.map(({ instance }) => instance.node_id)
  return silentAmong(deps.nodes, call, nodeIds)
}

/** After its cutover a replacement is finished by the request that began it (RTE-054). Throws `route.target_conflict`. */
async function requireNoUnfinished({ store }: RoutesDeps, route: RouteRecord): Promise<void> {
  const next = isReplaced(route) ? await findRoute(store.db, route.replaced_by_route_id ?? 0) : route
  if (!next || next.replaces_route_id === null || isCandidate(next)) return
  throw targetConflict({
    message: `The domain of the Route is changed to ${next.domain}, and only the rest of that is missing. Finish it: \`fleet route:update ${next.id} --domain ${next.domain}\`.`,
    requested: route.id,
    existing: next.id === route.id ? next.replaces_route_id : next.id,
    instances: route.targets.map(({ instance_id }) => instance_id),
  })
}

/** Whoever closes it first sees what visitors lose (RTX-061). */
const open = ({ id }: RouteRecord): Error =>
  fail('route.reconciliation_required', {
    message: `The Route is open to the public. Close it first: \`fleet route:update ${id} --publication private\`.`,
    details: { existing_route_id: id },
  })

/** It goes with the analytics of its Instance (RTX-067). */
const ofAnalytics = ({ kind }: RouteRecord): Error =>
  fail('route.kind_unsupported', {
    message: 'A Route that tracks visits is removed where the analytics of its Instance are switched off.',
    details: { kind },
  })

const targeted = ({ id, targets }: RouteRecord): Error =>
  targetConflict({ requested: id, existing: id, instances: targets.map(({ instance_id }) => instance_id) })
