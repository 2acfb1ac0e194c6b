import type { Clock } from '@fleet/kernel'
import { SshFailure } from './types.ts'

/** One signal for the time limit and the caller's wish to stop; its reason is an SshFailure with `sent` false. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal
}

/** Starts the limit. Dispose it, or its timer and listener stay. */
export function startTimeLimit(clock: Clock, milliseconds: number, given?: AbortSignal): TimeLimit {
  const stop = new AbortController()
  const timer = new AbortController()
  const cancel = (): void => stop.abort(new SshFailure('cancelled', false))
  void clock.sleep(milliseconds, timer.signal).then(() => {
    if (!timer.signal.aborted) stop.abort(new SshFailure('timeout', false))
  })
  if (given?.aborted) cancel()
  given?.addEventListener('abort', cancel, { once: true })
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      timer.abort()
      given?.removeEventListener('abort', cancel)
    },
  }
}

/** The promise, or a rejection with the signal's reason when that comes first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error) // Aborted with errors only.
    const settled = (): void => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort, { once: true })
    promise.finally(settled).then(resolve, reject)
    if (signal.aborted) abort()
  })
}

/** Waits for the promise, however it ends, but no longer than the given time. */
export async function atMost(clock: Clock, milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([promise.catch(() => undefined), clock.sleep(milliseconds, timer.signal)])
  timer.abort()
}
