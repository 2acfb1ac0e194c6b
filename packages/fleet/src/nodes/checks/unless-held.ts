import type { Store } from '@fleet/store'
import {
  type StoredCheck,
  type CheckedResource,
  type Finding,
  statusDiffers,
  stored,
} from '#/nodes/checks/types.ts'
import type { DoctorCode } from '@fleet/contract'

/**
 * A finding about work that nobody finished: none while somebody holds its lock. `judge` reads the record after that: whoever
 * held the lock when Doctor read its records may be done since.
 */
export const unlessHeld = async (
  locks: Pick<Store['locks'], 'holderOf'>,
  lock: string,
  judge: () => Promise<Finding | undefined>,
): Promise<Finding | undefined> => ((await locks.holderOf(lock)) === undefined ? judge() : undefined)

interface Lifecycle {
  readonly code: DoctorCode
  readonly resource: CheckedResource
  /** The status of a record that nothing is left to do for. */
  readonly expected: string
  readonly seen: string
  readonly lock: string
  /** Reads the record once more. */
  readonly again: () => Promise<{ readonly status: string } | undefined>
}

/** Whether what was begun with a record was finished, unless somebody works on it; of one that has its status nothing is asked. */
export const lifecycleCheck = (
  locks: Pick<Store['locks'], 'holderOf'>,
  { code, resource, expected, seen, lock, again }: Lifecycle,
): StoredCheck =>
  stored(code, resource, async () =>
    seen === expected
      ? undefined
      : unlessHeld(locks, lock, async () => statusDiffers(expected, await again())),
  )
