import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { InstanceRecord } from '#/instances/api.ts'
import { ownRoutesOf } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { recordedSetOf, recordedSets } from '#/routes/pools/queries.ts'
import type { SetRequest } from '#/routes/pools/request.ts'
import { type SetWorld, targetIdsOf } from '#/routes/pools/rules.ts'
import { findRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'

/** The records that a request is checked against. */
export async function worldOf(
  { store, instances, clusters }: Pick<RoutesDeps, 'store' | 'instances' | 'clusters'>,
  route: RouteRecord,
  { targets, dispositions }: SetRequest,
): Promise<SetWorld> {
  const destinations = new Map<number, RouteRecord>()
  for (const { route_id } of dispositions) {
    const destination = route_id === null ? undefined : await findRoute(store.db, route_id)
    if (destination) destinations.set(destination.id, destination)
  }
  const named = [...targets, ...targetIdsOf(route), ...dispositions.map(({ instance_id }) => instance_id)]
  const found = new Map<number, InstanceRecord>()
  for (const id of new Set([...named, ...[...destinations.values()].flatMap(targetIdsOf)])) {
    const instance = await instances.find(id)
    if (instance) found.set(id, instance)
  }
  const scopes = new Map<number, number | null>()
  for (const { node } of found.values()) scopes.set(node.id, (await clusters.scopeOf(node)).clusterId)
  return { route, instances: found, own: await ownRoutesOf(store.db, targets), destinations, scopes }
}

interface Concerned {
  readonly instanceIds: readonly number[]
  readonly routeIds: readonly number[]
}

/** Every Instance and Route that the request may change, lower ids first. */
export async function concernedBy(
  db: Database,
  routeId: number,
  { targets, dispositions }: SetRequest,
): Promise<Concerned> {
  const recorded = await recordedSetOf(db, routeId)
  const own = await ownRoutesOf(db, targets)
  const routeIds = new Set([
    routeId,
    ...[...own].flatMap(([id, route]) => (targets.includes(id) ? [route.id] : [])),
    ...dispositions.flatMap(({ route_id }) => route_id ?? []),
    ...(recorded?.pools ?? []).map(({ route_id }) => route_id),
  ])
  const instanceIds = new Set([
    ...targets,
    ...(recorded?.pools ?? []).flatMap(({ before, after }) => [...before, ...after]),
  ])
  for (const id of routeIds)
    for (const instanceId of targetIdsOf((await findRoute(db, id)) ?? { targets: [] }))
      instanceIds.add(instanceId)
  return { instanceIds: ascending(instanceIds), routeIds: ascending(routeIds) }
}

const ascending = (ids: Iterable<number>): readonly number[] => [...ids].toSorted((one, other) => one - other)

/** Throws `route.target_set_conflict` while a recorded set is about one of these Routes (RTE-123). */
export async function requireNoSet(
  db: Database,
  routeIds: readonly number[],
  { besides }: { readonly besides?: number } = {},
): Promise<void> {
  const other = (await recordedSets(db)).find(
    ({ route_id, target_set: { pools } }) =>
      route_id !== besides &&
      [route_id, ...pools.map((pool) => pool.route_id)].some((id) => routeIds.includes(id)),
  )
  if (other) throw setConflict(other.route_id, await findRoute(db, other.route_id))
}

/** What ends the set that the Route has recorded: the same request, and until it is stored also one that gives it up. */
export function setConflict(id: number, route: RouteRecord | undefined): Error {
  const details = { existing_route_id: id }
  if (route?.target_set_step !== null) return fail('route.target_set_conflict', { details })
  const present = targetIdsOf(route).map((target) => ` --targets ${target}`)
  const way =
    present.length === 0
      ? `fleet route:target:unset ${id}`
      : `fleet route:target:set ${id}${present.join('')}`
  return fail('route.target_set_conflict', {
    message: `A set of targets that was requested for the Route ${id} could not be prepared. Repeat that request, or give it up: \`${way}\`.`,
    details,
  })
}
