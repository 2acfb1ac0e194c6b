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

/** Longest time of a timer of the platform: with a longer one it would call back at once. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1

/** Calls back after the time, however long it is; the function that it answers calls that off. */
function callAfter(milliseconds: number, callBack: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = (left: number): void => {
    timer =
      left > LONGEST_MILLISECONDS
        ? setTimeout(() => wait(left - LONGEST_MILLISECONDS), LONGEST_MILLISECONDS)
        : setTimeout(callBack, left)
  }
  wait(milliseconds)
  return () => clearTimeout(timer)
}

export const systemClock: Clock = {
  now: () => new Date(),
  ticks: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const finish = (): void => {
        callOff()
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const callOff = callAfter(milliseconds, finish)
      signal?.addEventListener('abort', finish, { once: true })
    }),
  timer: (milliseconds) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    return { over: promise, [Symbol.dispose]: callAfter(milliseconds, resolve) }
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
