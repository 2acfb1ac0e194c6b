/** The only source of time. Tests pass a fake one. */
export interface Clock {
  /** Wall-clock time. */
  now(): Date
  /** Monotonic milliseconds; only differences mean anything. */
  ticks(): number
  /** Resolves after the given time, or at once when the signal aborts. It never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** A sleep that its owner ends by disposing of it. Far cheaper than one with a signal, which matters once a request. */
  timer(milliseconds: number): Timer
}

export interface Timer extends Disposable {
  /** Resolves after the time; never when the timer was disposed of before. */
  readonly over: Promise<void>
}

export const systemClock: Clock = {
  now: () => new Date(),
  ticks: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const finish = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, milliseconds)
      signal?.addEventListener('abort', finish, { once: true })
    }),
  timer: (milliseconds) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, milliseconds)
    return { over: promise, [Symbol.dispose]: () => clearTimeout(timer) }
  },
}

/**
 * Resolves once the events that were ready at this moment have been handled, so that work arriving together can be
 * joined. No part of the Clock: no time passes that a test would have to steer.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    // Browsers lack it; their shortest timer comes closest.
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
