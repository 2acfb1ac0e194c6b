import type { Clock } from '@fleet/kernel'
import type { Request } from '#/access.ts'
import { DatabaseFailure } from '#/failure.ts'
import { DATABASE_LIMITS } from '#/limits.ts'

/** The time of one request, and why it ended early. */
export interface TimeLimit extends Disposable {
  /** Aborts when the time is over or the client goes away. */
  readonly signal: AbortSignal
  readonly milliseconds: number
  /** Why a statement was ended, if the request was what ended it. */
  ended(): DatabaseFailure | undefined
  /** Resolves with the work, or rejects with `database.query_failed` as soon as the signal aborts. */
  race<T>(work: Promise<T>): Promise<T>
}

export const timeOver = (): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    'The statement was ended because its time was over. Narrow it, or ask for less.',
    { reason: 'time' },
  )

/** Some functions of a server look at nothing until they have ended, and nobody can end them before. */
export const stillRunning = (reason: unknown): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    'The statement was given up, and the server has not ended it: it may go on there for as long as its function takes.',
    {
      reason:
        reason instanceof DatabaseFailure && reason.details.reason === 'cancelled' ? 'cancelled' : 'time',
      still_running: true,
    },
  )

const cancelled = (): DatabaseFailure =>
  new DatabaseFailure('database.query_failed', 'The statement was ended because its caller went away.', {
    reason: 'cancelled',
  })

/** The server counts the same time by a clock of its own. */
const CLOCK_MILLISECONDS = 100

/** Work within the time of a request. Rejects with what `classify` makes of an error. */
export async function withinTime<T>(
  { clock, request }: { readonly clock: Clock; readonly request: Request | undefined },
  classify: (error: unknown, ended: DatabaseFailure | undefined) => DatabaseFailure,
  work: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  using limit = startTimeLimit(clock, request)
  try {
    return await work(limit)
  } catch (error) {
    throw classify(error, limit.ended())
  }
}

export function startTimeLimit(clock: Clock, request: Request = {}): TimeLimit {
  const milliseconds = request.timeoutMilliseconds ?? DATABASE_LIMITS.timeoutMilliseconds
  const begun = clock.ticks()
  const controller = new AbortController()
  const timer = clock.timer(milliseconds)
  void timer.over.then(() => controller.abort(timeOver()))
  const cancel = (): void => controller.abort(cancelled())
  if (request.signal?.aborted) cancel()
  request.signal?.addEventListener('abort', cancel, { once: true })
  const { signal } = controller
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(signal.reason)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  // Nobody may be waiting when it ends.
  ended.catch(() => undefined)
  return {
    signal,
    milliseconds,
    ended: () => {
      // as: it is aborted with these alone.
      if (signal.aborted) return signal.reason as DatabaseFailure
      return clock.ticks() - begun >= milliseconds - CLOCK_MILLISECONDS ? timeOver() : undefined
    },
    race: (work) => {
      // The work that lost is answered by the closed connection.
      work.catch(() => undefined)
      return Promise.race([work, ended])
    },
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]()
      request.signal?.removeEventListener('abort', cancel)
    },
  }
}
