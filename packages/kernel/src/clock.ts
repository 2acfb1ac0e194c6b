/** The only source of time. Tests pass a fake one. */
export interface Clock {
  /** Wall-clock time. */
  now(): Date
  /** Monotonic milliseconds; only differences mean anything. */
  ticks(): number
  /** Resolves after the given time, or at once when the signal aborts. It never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
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
}
