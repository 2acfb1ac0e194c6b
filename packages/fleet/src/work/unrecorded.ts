import type { Database, Store } from '@fleet/store'
import type { OpenActivity } from '#/activities/api.ts'

/** Every reason why work leaves no Activity. */
export const UNRECORDED = {
  callback: 'A Node reports on its own, often and without end (AGT-001).',
  renewal: 'A client repeats it every few seconds to keep open what it opened (LOGS-028).',
  lookup: 'It reads for a command that has an Activity of its own.',
  tick: 'It finds what is due. Each change that follows is work with an Activity of its own.',
} as const

export type UnrecordedReason = keyof typeof UNRECORDED

const nothing = (): void => undefined

/** In the place of an Activity: stores nothing but what the work writes with its end. */
export const withoutActivity = (store: Pick<Store, 'transaction'>): OpenActivity => {
  const end = async (also?: (db: Database) => Promise<void>): Promise<void> => {
    if (also) await store.transaction(also)
  }
  return {
    note: { target: nothing, subject: nothing, property: nothing, exitCode: nothing },
    caller: nothing,
    begin: () => Promise.resolve(),
    succeed: end,
    fail: (_code, also) => end(also),
  }
}
