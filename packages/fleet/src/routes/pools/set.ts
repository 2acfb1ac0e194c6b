import { fail, type RouteData } from '@fleet/contract'
import type { RecordedSet } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { Outcome } from '#/handler.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { type PoolChange, routeIdsOf, routesOf } from '#/routes/pools/change.ts'
import { giveUpRecorded } from '#/routes/pools/give-up.ts'
import { forgetSet, recordedSetOf, recordSet } from '#/routes/pools/queries.ts'
import { isSameList, isSameSet, type SetRequest } from '#/routes/pools/request.ts'
import {
  isCompleted,
  planPools,
  requirePoolRoute,
  requireSettled,
  targetIdsOf,
} from '#/routes/pools/rules.ts'
import { performTargetSet } from '#/routes/pools/steps/list.ts'
import { performRemovals } from '#/routes/pools/steps/removals.ts'
import { type LockedIds, requireLocked, underAllLocks } from '#/routes/pools/under-all-locks.ts'
import { requireNoSet, setConflict, worldOf } from '#/routes/pools/world.ts'
import { presentRoute } from '#/routes/present.ts'
import { publishingKept } from '#/routes/publish-kept.ts'
import { findRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { requireApp, requireSettledPair } from '#/routes/target.ts'

interface TargetChange {
  readonly routeId: number
  readonly request: SetRequest
}

/** What a request finds under its locks: nothing to do, or the recorded set that it carries out. */
type Begun = { readonly unchanged: RouteRecord } | { readonly set: RecordedSet }

/**
 * A Route leads to a complete ordered set of production Instances (RTE-104 to RTE-124). Everything but the removals is done under
 * the locks of all Instances and Routes concerned; a removal takes its own.
 */
export async function setTargets(
  deps: RoutesDeps,
  call: Call,
  asked: TargetChange,
): Promise<Outcome<RouteData>> {
  // Whoever carries another set out holds the locks for a minute: nobody waits for them in vain.
  const seen = await findRoute(deps.store.db, asked.routeId)
  if (seen) await recordedFor(deps, seen, asked.request)
  const begun = await underAllLocks(deps, call, asked, (locked) => change(deps, call, asked, locked))
  if ('unchanged' in begun) return { data: presentRoute(begun.unchanged) }
  const instanceIds = asked.request.dispositions.flatMap(({ instance_id, route_id }) =>
    route_id === null ? [instance_id] : [],
  )
  await publishingKept(deps, call, keptOf(begun.set), () =>
    performRemovals({ deps, call, routeId: asked.routeId, instanceIds }),
  )
  const { db } = deps.store
  for (const { route_id } of begun.set.pools) {
    const route = await findRoute(db, route_id)
    if (route) call.event('route.updated', presentRoute(route))
  }
  const route = await findRoute(db, asked.routeId)
  if (!route) throw fail('route.not_found')
  return { data: presentRoute(route) }
}

async function change(
  deps: RoutesDeps,
  call: Call,
  { routeId, request }: TargetChange,
  locked: LockedIds,
): Promise<Begun> {
  const route = await findRoute(deps.store.db, routeId)
  if (!route) throw fail('route.not_found')
  requireApp(route)
  requireSettledPair(route)
  const { recorded, isGivenUp } = await recordedFor(deps, route, request)
  const isCommitted = recorded !== undefined && route.target_set_step !== null
  const change = { deps, call, routeId, isPublic: false, isResumed: recorded !== undefined, isCommitted }
  if (recorded && isGivenUp) return { unchanged: await giveUpRecorded(deps, call, routeId, recorded) }
  if (recorded && isCommitted) return carryOut({ ...change, ...recorded }, recorded)
  const set = await plan(deps, { route, request, isNew: recorded === undefined })
  if (!set) return { unchanged: route }
  requireLocked(set, locked)
  await deps.names.idle(call)
  await store(deps, routeId, set)
  return carryOut({ ...change, ...set }, set)
}

/** The set that an earlier request recorded and this one resumes or gives up. Throws `route.target_set_conflict` (RTE-114, RTE-123). */
async function recordedFor(
  deps: RoutesDeps,
  route: RouteRecord,
  request: SetRequest,
): Promise<{ readonly recorded: RecordedSet | undefined; readonly isGivenUp: boolean }> {
  const recorded = await recordedSetOf(deps.store.db, route.id)
  if (!recorded || isSameSet(recorded, request)) return { recorded, isGivenUp: false }
  if (route.target_set_step === null && isPresent(route, request)) return { recorded, isGivenUp: true }
  if (!isSameSet(await left(deps, recorded), request)) throw setConflict(route.id, route)
  return { recorded, isGivenUp: false }
}

/** Without Instances that were removed since: nobody knows their ids any more. */
async function left(
  { instances }: Pick<RoutesDeps, 'instances'>,
  { targets, dispositions }: SetRequest,
): Promise<SetRequest> {
  const gone = new Set<number>()
  for (const id of [...targets, ...dispositions.map(({ instance_id }) => instance_id)]) {
    const instance = await instances.find(id)
    if (!instance || instance.status === 'removing') gone.add(id)
  }
  return {
    targets: targets.filter((id) => !gone.has(id)),
    dispositions: dispositions.filter(({ instance_id }) => !gone.has(instance_id)),
  }
}

/** It names what the Route has: whoever cannot finish a set takes it back in this way. */
const isPresent = (route: RouteRecord, { targets, dispositions }: SetRequest): boolean =>
  dispositions.length === 0 && isSameList(targetIdsOf(route), targets)

interface Planning {
  readonly route: RouteRecord
  readonly request: SetRequest
  readonly isNew: boolean
}

/** Undefined where the Route has the set already. */
async function plan(deps: RoutesDeps, { route, request, isNew }: Planning): Promise<RecordedSet | undefined> {
  const world = await worldOf(deps, route, request)
  const cluster_id = requirePoolRoute(world)
  if (isNew && isCompleted(world, request)) return undefined
  requireSettled(route)
  const set = planPools(world, request)
  await requireNoSet(
    deps.store.db,
    set.pools.map(({ route_id }) => route_id),
    { besides: route.id },
  )
  if (!(await deps.clusters.routerOf(cluster_id)))
    throw fail('route.router_required', { details: { route_id: route.id, cluster_id } })
  return set
}

/** Before anything is done (RTE-112). */
const store = ({ store: { transaction }, clock }: RoutesDeps, route_id: number, set: RecordedSet) =>
  transaction(async (tx) => {
    await forgetSet(tx, route_id)
    await recordSet(tx, { route_id, target_set: set, created_at: clock.now().toISOString() })
  })

async function carryOut(
  change: PoolChange & { readonly deps: RoutesDeps },
  set: RecordedSet,
): Promise<Begun> {
  const routes = await routesOf(change, routeIdsOf(change))
  const isPublic = routes.some(({ publication }) => publication === 'public')
  await publishingKept(change.deps, change.call, keptOf(set), () => performTargetSet({ ...change, isPublic }))
  return { set }
}

/** Once the set is stored the Routes are others than before. */
const keptOf = (set: RecordedSet): Parameters<typeof publishingKept>[2] => ({
  routeIds: routeIdsOf(set),
  isKept: (routes) => routes.some(({ target_set_step }) => target_set_step),
})
