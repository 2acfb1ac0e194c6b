import type { Clock, Ids, Timer } from '@fleet/kernel'

/** A clock that moves only when advanced or set back. Sleepers wake when their time has come. */
export class FakeClock implements Clock {
  #milliseconds: number
  #behind = 0
  #sleepers: { until: number; wake: () => void }[] = []

  constructor(start = '2026-01-02T03:04:05.000Z') {
    this.#milliseconds = Date.parse(start)
  }
  now(): Date {
    return new Date(this.#milliseconds - this.#behind)
  }
  ticks(): number {
    return this.#milliseconds
  }
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      this.#sleepers.push({ until: this.#milliseconds + milliseconds, wake: resolve })
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  timer(milliseconds: number): Timer {
    const { promise, resolve } = Promise.withResolvers<void>()
    const sleeper = { until: this.#milliseconds + milliseconds, wake: resolve }
    this.#sleepers.push(sleeper)
    const dispose = (): void => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
    }
    return { over: promise, [Symbol.dispose]: dispose }
  }
  /** How many sleep or have a timer. */
  get waiting(): number {
    return this.#sleepers.length
  }
  /** As somebody sets the clock of a machine: no time passes. */
  setBack(milliseconds: number): void {
    this.#behind += milliseconds
  }
  /** Moves time and wakes who is due. */
  advance(milliseconds: number): void {
    this.#milliseconds += milliseconds
    const due = this.#sleepers.filter((sleeper) => sleeper.until <= this.#milliseconds)
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.until > this.#milliseconds)
    for (const sleeper of due) sleeper.wake()
  }
}

/** Identities that count, so that a test can name them. */
export const countingIds = (): Ids => {
  let count = 0
  const digits = (length: number): string => (++count).toString(16).padStart(length, '0')
  return {
    uuid: () => `00000000-0000-4000-8000-${digits(12)}`,
    orderedUuid: () => `00000000-0000-7000-8000-${digits(12)}`,
    hex: (bytes) => digits(bytes * 2),
    bytes: (length) => new Uint8Array(length).fill(++count),
  }
}
