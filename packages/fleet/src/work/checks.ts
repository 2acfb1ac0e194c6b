import type { Clock } from '@fleet/kernel'
import type { Store, TroubledWork } from '@fleet/store'
import { type Check, type FamilyChecks, stored } from '#/nodes/api.ts'

export interface WorkChecksDeps {
  readonly store: Pick<Store, 'work'>
  readonly clock: Pick<Clock, 'now'>
}

/** A tick is tried again for ever: after so many failures somebody must look. */
const FAILED_ATTEMPTS = 5
const OVERDUE_MINUTES = 15
/** Somebody else works on the same thing: nothing is wrong while the work is tried again. */
const BUSY = /[._](busy|operation_locked)$/

/** The part of the gateway Node in the family `node`: work in the background that failed for good, or that nobody runs. */
export const makeWorkChecks = ({ store, clock }: WorkChecksDeps): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => {
    if (!node.activeRoles.includes('gateway')) return []
    const overdueSince = new Date(clock.now().getTime() - OVERDUE_MINUTES * 60_000)
    const troubled = await store.work.listTroubled({ failedAttempts: FAILED_ATTEMPTS, overdueSince })
    return troubled.filter((work) => !isWaiting(work)).map((work) => checkOf(work, clock.now()))
  },
})

const isWaiting = ({ trouble, errorCode }: TroubledWork): boolean =>
  trouble === 'failing' && BUSY.test(errorCode ?? '')

function checkOf(work: TroubledWork, now: Date): Check {
  const { id, kind, key, trouble, attempts, errorCode, dueAt } = work
  const resource = { type: 'work', id, name: key === null ? kind : `${kind} ${key}` }
  if (trouble !== 'overdue')
    return stored('node.background_work_failed', resource, () => ({
      expected: 'done',
      observed: `${errorCode ?? 'interrupted'} after ${attempts} attempts`,
    }))
  const minutes = Math.floor((now.getTime() - dueAt.getTime()) / 60_000)
  return stored('node.background_work_overdue', resource, () => ({
    expected: 'run when due',
    observed: `due for ${minutes} minutes`,
  }))
}
