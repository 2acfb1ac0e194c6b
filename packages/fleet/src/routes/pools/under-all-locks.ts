import { fail } from '@fleet/contract'
import type { RecordedSet } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holdingAll, lockOf } from '#/locks/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { joinsOf, leavesOf } from '#/routes/pools/change.ts'
import type { SetRequest } from '#/routes/pools/request.ts'
import { concernedBy } from '#/routes/pools/world.ts'

/** What a request about a Route holds. */
export interface LockedIds {
  readonly instanceIds: readonly number[]
  readonly routeIds: readonly number[]
}

/** Under the locks of every Instance and Route that the request, or the recorded set of the Route, may change. */
export async function underAllLocks<T>(
  deps: Pick<RoutesDeps, 'store' | 'instances'>,
  call: Call,
  { routeId, request }: { readonly routeId: number; readonly request: SetRequest },
  work: (locked: LockedIds) => Promise<T>,
): Promise<T> {
  const locked = await concernedBy(deps.store.db, routeId, request)
  const routes = (): Promise<T> =>
    holdingAll(
      deps.store,
      call,
      locked.routeIds.map((id) => lockOf('route', id)),
      () => work(locked),
    )
  // Of one kind the lower id comes first, so the innermost is the highest.
  return locked.instanceIds
    .toReversed()
    .reduce<() => Promise<T>>(
      (inner, id) => () => deps.instances.withOperationLock(call, id, 'env.operation_busy', inner),
      routes,
    )()
}

/** What it concerns changed while it waited: throws `route.busy`. */
export function requireLocked(
  { pools }: Pick<RecordedSet, 'pools'>,
  { instanceIds, routeIds }: LockedIds,
): void {
  const [moved] = [...joinsOf({ pools }), ...leavesOf({ pools })].filter(
    ({ instanceId, routeId }) => !instanceIds.includes(instanceId) || !routeIds.includes(routeId),
  )
  if (moved) throw fail('route.busy', { details: { existing_route_id: moved.routeId } })
}
