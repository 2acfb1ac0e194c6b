import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { requireNoSet } from '#/routes/pools/world.ts'
import { findRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'

interface Locked {
  readonly id: number
  readonly found: RouteRecord | undefined
  /** An Instance that the Route does not lead to yet. */
  readonly besides?: number
}

/**
 * A Route to Instances is theirs to wait for: their environment and their removal hold the same lock (GW-042). Throws
 * `route.target_set_conflict`, and `route.busy` for one that another Node or Cluster serves by now (decision 0326).
 */
export async function underLocks<T>(
  deps: Pick<RoutesDeps, 'store' | 'instances'>,
  call: Call,
  { id, found, besides }: Locked,
  work: (route: RouteRecord) => Promise<T>,
): Promise<T> {
  const known = found ?? (await findRoute(deps.store.db, id))
  const route = (): Promise<T> =>
    holding(deps.store, call, lockOf('route', id), async () => {
      const current = await findRoute(deps.store.db, id)
      if (!current) throw fail('route.not_found')
      if (known && !isSameScope(known, current))
        throw fail('route.busy', {
          message: 'The Route moved to another Node or Cluster while the request waited. Repeat the request.',
        })
      await requireNoSet(deps.store.db, [id])
      return work(current)
    })
  const targets = (known?.targets ?? []).map(({ instance_id }) => instance_id)
  const ids = new Set([...targets, ...(besides === undefined ? [] : [besides])])
  // Of one kind the lower id comes first, so the innermost is the highest.
  return [...ids]
    .toSorted((one, other) => other - one)
    .reduce<() => Promise<T>>(
      (inner, instanceId) => () =>
        deps.instances.withOperationLock(call, instanceId, 'env.operation_busy', inner),
      route,
    )()
}

const isSameScope = (one: RouteRecord, other: RouteRecord): boolean =>
  one.node_id === other.node_id && one.cluster_id === other.cluster_id
