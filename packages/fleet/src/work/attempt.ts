import { fail } from '@fleet/contract'
import type { Clock, CodedError } from '@fleet/kernel'
import { type ClaimedWork, type Store, WorkLost } from '@fleet/store'
import type { Journal } from '#/activities/api.ts'
import type { Call, Caller } from '#/call.ts'
import type { Ending, Executor } from '#/work/executor.ts'
import { maxAttemptsOf, pauseSecondsOf, type WithEnd, type WorkKind } from '#/work/kinds.ts'

export interface AttemptDeps {
  readonly store: Pick<Store, 'transaction'>
  readonly executor: Executor
  readonly journal: Pick<Journal, 'closeInterruptedOf'>
  readonly clock: Clock
  /** The Node that work is for; undefined when it is gone. */
  readonly findCaller: (nodeId: number) => Promise<Caller | undefined>
  /** Aborts work in flight when the process stops for good. */
  readonly closing: AbortSignal
}

const CALLER_GONE = 'peer.identity_unknown'

/** Carries claimed work out once and stores what comes of it with the Activity of the attempt. Never throws for the work's own failure. */
export async function attempt(deps: AttemptDeps, kind: WorkKind, piece: ClaimedWork): Promise<void> {
  // An earlier holder that died left its Activity running.
  if (piece.attempts > 1) await deps.journal.closeInterruptedOf(piece.requestId)
  if (piece.attempts > maxAttemptsOf(kind)) {
    await deps.store.transaction((db) => piece.bury(db, 'activity.interrupted'))
    return
  }
  const { executor, closing } = deps
  const work = executor.execute({
    operation: kind.name,
    requestId: piece.requestId,
    recording: kind.unrecorded ? { unrecorded: kind.unrecorded } : { as: 'change' },
    signal: AbortSignal.any([closing, piece.lost]),
    admit: async (entry) => {
      if (piece.attempts > 1) entry.note.property('attempt', piece.attempts)
      const caller = await callerOf(deps, piece)
      if (caller) entry.caller(caller)
    },
    run: (call) => runHeld(kind, piece, call),
    ending: endingOf(deps, kind, piece),
  })
  // The executor has logged and recorded it.
  await work.catch(() => undefined)
}

async function callerOf(
  { findCaller }: AttemptDeps,
  { callerNodeId }: ClaimedWork,
): Promise<Caller | undefined> {
  if (callerNodeId === undefined) return undefined
  const caller = await findCaller(callerNodeId)
  if (!caller) throw fail(CALLER_GONE)
  return caller
}

async function runHeld(kind: WorkKind, piece: ClaimedWork, call: Call): Promise<WithEnd | void> {
  const end = await kind.run(call, piece.payload)
  if (piece.lost.aborted) throw fail('activity.interrupted')
  return end
}

const endingOf = (
  { clock, closing }: AttemptDeps,
  kind: WorkKind,
  piece: ClaimedWork,
): Ending<WithEnd | void> => {
  const dueIn = (seconds: number): Date => new Date(clock.now().getTime() + seconds * 1000)
  return {
    async succeeded(db, end) {
      await end?.(db)
      await (kind.everySeconds === undefined ? piece.done(db) : piece.repeat(db, dueIn(kind.everySeconds)))
    },
    async failed(db, error) {
      if (piece.lost.aborted || error.cause instanceof WorkLost) return
      if (closing.aborted) return piece.returned(db)
      if (kind.isFoundAgain) return piece.done(db)
      if (isFinal(kind, piece, error)) return piece.bury(db, error.code)
      await piece.retry(db, dueIn(pauseSecondsOf(kind, piece.attempts)), error.code)
    },
  }
}

/** Neither what only a changed request would cure nor work for a Node that is gone is tried again. */
const isFinal = (kind: WorkKind, { attempts }: ClaimedWork, { code, retry }: CodedError): boolean =>
  kind.everySeconds === undefined &&
  (retry === 'change' || code === CALLER_GONE || attempts >= maxAttemptsOf(kind))
