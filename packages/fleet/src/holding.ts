import { type ErrorCode, fail } from '@fleet/contract'
import type { CodedError, Details } from '@fleet/kernel'
import { type HeldLock, LockBusy, type Store } from '@fleet/store'
import type { Call } from '#/call.ts'

export interface Hold {
  /** `node-name:web-1`, `project:7` and the like. */
  readonly lock: string
  /** 0 answers busy at once. */
  readonly waitMilliseconds: number
  readonly leaseSeconds: number
  /** Thrown while another request holds the lock, with `details.holder` (operation, request id, since). */
  readonly busy: ErrorCode
  /** Further details of the busy answer. */
  readonly details?: Details
  /** Thrown by `requireHeld` once the lease is lost; `node.lock_lost` when absent (GW-045). */
  readonly lost?: () => CodedError
}

/** Runs the work while the lock is held. Throws the hold's busy code. */
export async function holding<T>(
  store: Pick<Store, 'locks'>,
  call: Call,
  hold: Hold,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  await using lock = await acquire(store, call, hold)
  return await work(lock)
}

async function acquire({ locks }: Pick<Store, 'locks'>, call: Call, hold: Hold): Promise<HeldLock> {
  const {
    lock: name,
    waitMilliseconds,
    leaseSeconds,
    busy,
    details = {},
    lost = () => fail('node.lock_lost'),
  } = hold
  const { operation, requestId, signal } = call
  try {
    return await locks.acquire({ name, operation, requestId, waitMilliseconds, leaseSeconds, signal, lost })
  } catch (error) {
    if (!(error instanceof LockBusy)) throw error
    const holder = error.holder ? { holder: error.holder } : {}
    throw fail(busy, { details: { ...details, ...holder }, cause: error })
  }
}
