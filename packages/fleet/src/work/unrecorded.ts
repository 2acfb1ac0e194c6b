import type { Database, Store } from '@fleet/store'
import type { OpenActivity } from '#/activities/api.ts'

/** Every reason why work leaves no Activity. */
export const UNRECORDED = {
  callback: 'A Node sends reports by itself, frequently and without end (AGT-001).',
  renewal: 'A client repeats it every few seconds to keep its stream open (LOGS-028).',
  lookup: 'It serves a command that has its own Activity.',
  sample: 'It only reads what Processes use, every 15 s while a client watches (EV-033).',
  tick: 'It only finds due work. Each change that follows is work with its own Activity.',
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
