import type { Database } from '@fleet/store'
import type * as z from 'zod'
import type { Call } from '#/call.ts'
import type { UnrecordedReason } from '#/work/unrecorded.ts'

/** Written in one transaction with the outcome: done with the work, or not at all. */
export type WithEnd = (db: Database) => Promise<void>

/**
 * One kind of work without a request. What it does may happen twice, when a process dies after it and before the end is
 * stored; so it is safe to run twice: steps, or records written `WithEnd`.
 */
export interface WorkKind<P = unknown> {
  /** `certificate:renew`: the command of its Activities. */
  readonly name: string
  readonly payload: z.ZodType<P>
  run(call: Call, payload: P): Promise<WithEnd | void>
  /** A change with its Activity, unless a reason says why there is none. */
  readonly unrecorded?: UnrecordedReason
  /** After so many it is dead until it is added again; 10 when absent. */
  readonly maxAttempts?: number
  /** A tick, or who asks for it, adds it again while it is to be done: a failure ends it, with its Activity alone. */
  readonly isFoundAgain?: true
  /** Pause after the given attempt; doubles from 5 s to 15 minutes when absent. */
  readonly pauseSeconds?: (attempt: number) => number
  /** Pieces of this kind that run at once in a gateway, beside those of all others; without, it shares the places of all. */
  readonly places?: number
  /** A tick of the whole fleet: runs this often, in one gateway at a time, for as long as the fleet lives. It never dies. */
  readonly everySeconds?: number
}

/** Erases the payload: each kind parses its own. */
export const workKind = <P>(kind: WorkKind<P>): WorkKind => ({
  ...kind,
  run: (call, payload) => kind.run(call, kind.payload.parse(payload)),
})

const MAX_ATTEMPTS = 10
const FIRST_PAUSE_SECONDS = 5
const LONGEST_PAUSE_SECONDS = 900

export const maxAttemptsOf = ({ maxAttempts = MAX_ATTEMPTS, everySeconds }: WorkKind): number =>
  everySeconds === undefined ? maxAttempts : Infinity

export const pauseSecondsOf = ({ pauseSeconds, everySeconds }: WorkKind, attempt: number): number =>
  pauseSeconds?.(attempt) ??
  Math.min(everySeconds ?? LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))
