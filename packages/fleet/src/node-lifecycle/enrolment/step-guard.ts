import { fail } from '@fleet/contract'
import type { HeldLock } from '@fleet/store'
import type { Call } from '#/call.ts'

/** Asked before each step: no step begins without the Node's lock or after the time for going forward. Throws `node.lock_lost` and `command.deadline_exceeded`. */
export const stepGuard =
  ({ call, lock }: { readonly call: Call; readonly lock: HeldLock }): (() => void) =>
  () => {
    lock.requireHeld()
    if (call.deadline.forwardMilliseconds() <= 0)
      throw fail('command.deadline_exceeded', { details: { outcome: 'deadline' } })
  }
