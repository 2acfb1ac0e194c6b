import { type ErrorCode, fail } from '@fleet/contract'
import { LIMITS } from '@fleet/kernel'
import { type HeldLock, LockBusy, type Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding } from '#/holding.ts'

const LEASE_SECONDS = 60

/**
 * Runs the work as the only creation, setup or removal of this name in its Project. Does not wait: another one gives
 * `instance.lifecycle_busy` with `details.outcome` `busy` and the holder (GW-043).
 */
export async function withLifecycleLock<T>(
  store: Pick<Store, 'locks'>,
  call: Call,
  place: { readonly projectId: number; readonly name: string },
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  await using lock = await acquireLifecycle(
    store,
    call,
    `instance:${place.projectId}:${place.name}:lifecycle`,
  )
  return await work(lock)
}

async function acquireLifecycle(
  { locks }: Pick<Store, 'locks'>,
  call: Call,
  name: string,
): Promise<HeldLock> {
  const { operation, requestId, signal } = call
  try {
    return await locks.acquire({
      name,
      operation,
      requestId,
      waitMilliseconds: 0,
      leaseSeconds: LEASE_SECONDS,
      signal,
      lost: () => fail('node.lock_lost'),
    })
  } catch (error) {
    if (!(error instanceof LockBusy)) throw error
    const holder = error.holder ? { holder: error.holder } : {}
    throw fail('instance.lifecycle_busy', { details: { outcome: 'busy', ...holder }, cause: error })
  }
}

/** Runs the work under the Instance's operation lock (GW-042): waits up to 30 s or the rest of the call's forward time. */
export const withOperationLock = <T>(
  store: Pick<Store, 'locks'>,
  call: Call,
  instanceId: number,
  busy: ErrorCode,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> =>
  holding(
    store,
    call,
    {
      lock: `instance:${instanceId}:operation`,
      waitMilliseconds: Math.min(LIMITS.instanceLockSeconds * 1000, call.deadline.forwardMilliseconds()),
      leaseSeconds: LEASE_SECONDS,
      busy,
    },
    work,
  )
