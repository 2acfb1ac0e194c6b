import type { Store } from '@fleet/store'
import type { Finding } from '#/nodes/checks/types.ts'

/**
 * A finding about work that nobody finished: none while somebody holds its lock. `judge` reads the record after that: whoever
 * held the lock when Doctor read its records may be done since.
 */
export const unlessHeld = async (
  locks: Pick<Store['locks'], 'holderOf'>,
  lock: string,
  judge: () => Promise<Finding | undefined>,
): Promise<Finding | undefined> => ((await locks.holderOf(lock)) === undefined ? judge() : undefined)
