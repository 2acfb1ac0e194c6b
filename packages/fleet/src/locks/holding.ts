import { fail } from '@fleet/contract'
import type { Deadline } from '@fleet/kernel'
import { type HeldLock, LockBusy, type Store } from '@fleet/store'
import type { CallLocks } from '#/locks/call-locks.ts'
import { type NamedLock, LOCKS, lostError } from '#/locks/table.ts'

/** What a Call says about itself to a lock. */
export interface LockingCall {
  readonly operation: string
  readonly requestId: string
  readonly signal: AbortSignal
  readonly deadline: Deadline
  readonly locks: CallLocks
}

/**
 * Runs the work while the lock is held. Throws the hold's busy code, with the holder in the details, when the wait ends:
 * after the time in the table, or what is left of the request's.
 */
export async function holding<T>(
  store: Pick<Store, 'locks'>,
  call: LockingCall,
  hold: NamedLock,
  work: () => Promise<T>,
): Promise<T> {
  call.locks.requireOrder(hold)
  await using lock = await acquire(store, call, hold)
  using _held = call.locks.add(hold, lock)
  return await work()
}

/** The same for several locks, which are taken in the order given. */
export const holdingAll = <T>(
  store: Pick<Store, 'locks'>,
  call: LockingCall,
  holds: readonly NamedLock[],
  work: () => Promise<T>,
): Promise<T> => holds.reduceRight((inner, hold) => () => holding(store, call, hold, inner), work)()

async function acquire(
  { locks }: Pick<Store, 'locks'>,
  call: LockingCall,
  hold: NamedLock,
): Promise<HeldLock> {
  const { name, busy, details = {} } = hold
  const { termSeconds: leaseSeconds } = LOCKS[hold.kind]
  const { operation, requestId, signal } = call
  try {
    return await locks.acquire({
      name,
      operation,
      requestId,
      waitMilliseconds: waitMilliseconds(call, hold),
      leaseSeconds,
      signal,
      lost: () => lostError(hold),
    })
  } catch (error) {
    if (!(error instanceof LockBusy)) throw error
    const holder = error.holder ? { holder: error.holder } : {}
    throw fail(busy, { details: { ...details, ...holder }, cause: error })
  }
}

const waitMilliseconds = ({ deadline }: LockingCall, { waitSeconds }: NamedLock): number =>
  Math.max(0, Math.min(waitSeconds * 1000, deadline.forwardMilliseconds()))
