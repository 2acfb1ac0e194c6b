import { fail } from '@fleet/contract'
import type { Database, RecordedSet } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type NodeRecord, silentAmong } from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { instancesOf, joinsOf, receivingIds } from '#/routes/pools/change.ts'
import { forgetSet, recordedSetOf, recordedSets, storedOf } from '#/routes/pools/queries.ts'
import { giveUp } from '#/routes/pools/steps/give-up.ts'
import { forgetSources } from '#/routes/pools/steps/before-commit.ts'
import { requireLocked, underAllLocks } from '#/routes/pools/under-all-locks.ts'
import { presentRoute } from '#/routes/present.ts'
import { findRoute, updateRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'

const NOTHING = { targets: [], dispositions: [] } as const

/**
 * Whoever clears or removes a Route without targets gives the set up that it waits for: no request can name its present targets
 * (decision 0288). Nothing where none is recorded, and where one is stored already.
 */
export async function giveUpFor(
  deps: RoutesDeps,
  call: Call,
  { id: routeId, found }: { readonly id: number; readonly found: RouteRecord | undefined },
): Promise<void> {
  const { db } = deps.store
  if (!(await unpreparedOf(db, found ?? (await findRoute(db, routeId))))) return
  await underAllLocks(deps, call, { routeId, request: NOTHING }, async (locked) => {
    const recorded = await unpreparedOf(db, await findRoute(db, routeId))
    if (!recorded) return
    requireLocked(recorded, locked)
    await giveUpRecorded(deps, call, routeId, recorded)
  })
}

/** Undoes a set that was not stored; the locks of all that it concerns are held. Answers the Route as it is then. */
export async function giveUpRecorded(
  deps: RoutesDeps,
  call: Call,
  routeId: number,
  recorded: RecordedSet,
): Promise<RouteRecord> {
  const skipped = await silentNodes(deps, call, recorded)
  const how = { isPublic: false, isResumed: true, isCommitted: false, skipped }
  await giveUp({ deps, call, routeId, ...recorded, ...how })
  const route = await findRoute(deps.store.db, routeId)
  if (!route) throw fail('route.not_found')
  // It is so, whatever becomes of the request (EV-050).
  await call.publish('route.updated', presentRoute(route))
  return route
}

/** Nobody is led to what was prepared, so a Node that does not answer keeps it until it converges. */
async function silentNodes(
  deps: RoutesDeps,
  call: Call,
  recorded: RecordedSet,
): Promise<readonly NodeRecord[]> {
  const joining = await instancesOf({ deps }, joinsOf(recorded))
  const nodeIds = joining.map(({ node }) => node.id)
  return silentAmong(deps.nodes, call, nodeIds)
}

/** The set that a Route without targets has recorded and not stored. */
async function unpreparedOf(db: Database, route: RouteRecord | undefined): Promise<RecordedSet | undefined> {
  return route?.target_set_step === null && route.targets.length === 0
    ? recordedSetOf(db, route.id)
    : undefined
}

/**
 * Sets that were not stored and were to add this Instance, which is removed in this transaction, and no other: nobody can carry
 * them out any more, and nothing of them is left to be undone.
 */
export async function forgetSetsFor(tx: Database, instanceId: number): Promise<void> {
  for (const { route_id: routeId, target_set: set } of await recordedSets(tx)) {
    const ids = joinsOf(set).map((join) => join.instanceId)
    if (!ids.includes(instanceId) || (await findRoute(tx, routeId))?.target_set_step !== null) continue
    if ((await storedOf(tx, ids)).some((id) => id !== instanceId)) continue
    await forgetSet(tx, routeId)
    await forgetSources(tx, receivingIds({ ...set, routeId }))
    await updateRoute(tx, routeId, { failed_step: null, error_code: null })
  }
}
