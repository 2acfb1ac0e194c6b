import { type HeldLock, LockLost, type LockRequest } from '@fleet/store'

/** A lock of no database: held as long as `isHeld` says so. Lost, it throws what the request names. */
export const fakeLock = (
  { name, lost }: Pick<LockRequest, 'name' | 'lost'>,
  isHeld: () => boolean = () => true,
): HeldLock => ({
  name,
  get held() {
    return isHeld()
  },
  requireHeld() {
    if (!isHeld()) throw lost?.() ?? new LockLost(name)
  },
  [Symbol.asyncDispose]: async () => undefined,
})
