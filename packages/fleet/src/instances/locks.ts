import { type ErrorCode, fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type NamedLock, holding, lockOf } from '#/locks/api.ts'

/**
 * Runs the work as the only creation, setup or removal of this name in its Project. Does not wait: another one gives
 * `instance.lifecycle_busy` with `details.outcome` `busy` and the holder (GW-043).
 */
export const withLifecycleLock = <T>(
  store: Pick<Store, 'locks'>,
  call: Call,
  place: LifecyclePlace,
  work: () => Promise<T>,
): Promise<T> => holding(store, call, lifecycleLock(place), work)

export interface LifecyclePlace {
  readonly projectId: number
  readonly name: string
}

export const lifecycleLock = ({ projectId, name }: LifecyclePlace): NamedLock =>
  lockOf('instanceLifecycle', `${projectId}:${name}`, { details: { outcome: 'busy' } })

/** Runs the work under the Instance's operation lock (GW-042): waits up to 30 s or the rest of the call's forward time. */
export const withOperationLock = <T>(
  store: Pick<Store, 'locks'>,
  call: Call,
  instanceId: number,
  busy: ErrorCode,
  work: () => Promise<T>,
): Promise<T> => holding(store, call, operationLock(instanceId, busy), work)

export const operationLock = (instanceId: number, busy: ErrorCode, waitSeconds?: number): NamedLock =>
  lockOf('instance', instanceId, waitSeconds === undefined ? { busy } : { busy, waitSeconds })

/** An Instance on the Node where a request found it. */
export interface PlacedInstance {
  readonly id: number
  readonly node_id: number
}

/**
 * Throws the busy code when the Instance moved since the request found it: the grant of the caller is one on the Node that it was
 * on (decision 0326).
 */
export function requireSameNode(seen: PlacedInstance, current: PlacedInstance, busy: ErrorCode): void {
  if (current.node_id === seen.node_id) return
  throw fail(busy, {
    message: 'The Instance moved to another Node while the request waited. Repeat the request.',
  })
}

/** Throws `instance.lifecycle_busy` with the holder while the Instance is created, set up or removed. Does not wait. */
export async function requireIdle(
  { locks }: Pick<Store, 'locks'>,
  { project_id: projectId, name }: { readonly project_id: number; readonly name: string },
): Promise<void> {
  const holder = await locks.holderOf(lifecycleLock({ projectId, name }).name)
  if (holder) throw fail('instance.lifecycle_busy', { details: { outcome: 'busy', holder: { ...holder } } })
}
