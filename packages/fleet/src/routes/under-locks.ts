import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import { findRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'

/** A Route to Instances is theirs to wait for: their environment and their removal hold the same lock (GW-042). */
export async function underLocks<T>(
  parts: Pick<RoutesParts, 'store' | 'instances'>,
  call: Call,
  { id, found }: { readonly id: number; readonly found: RouteRecord | undefined },
  work: (route: RouteRecord) => Promise<T>,
): Promise<T> {
  const known = found ?? (await findRoute(parts.store.db, id))
  const route = (): Promise<T> =>
    holding(parts.store, call, lockOf('route', id), async () => {
      const current = await findRoute(parts.store.db, id)
      if (!current) throw fail('route.not_found')
      return work(current)
    })
  const instanceId = known?.targets[0]?.instance_id
  if (instanceId === undefined) return route()
  return parts.instances.withOperationLock(call, instanceId, 'env.operation_busy', route)
}
