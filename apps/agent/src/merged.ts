import type { Clock } from '@fleet/kernel'

/** Collects keys from the first one on for a while, then hands them over together. */
export class Merged<T> {
  readonly #clock: Clock
  readonly #milliseconds: number
  readonly #signal: AbortSignal
  readonly #take: (keys: ReadonlySet<T>) => void
  #keys = new Set<T>()
  #waiting = false

  constructor(
    times: { readonly clock: Clock; readonly milliseconds: number; readonly signal: AbortSignal },
    take: (keys: ReadonlySet<T>) => void,
  ) {
    this.#clock = times.clock
    this.#milliseconds = times.milliseconds
    this.#signal = times.signal
    this.#take = take
  }

  add(key: T): void {
    this.#keys.add(key)
    if (!this.#waiting) void this.#hand()
  }

  /** What is collected so far was reported otherwise. */
  clear(): void {
    this.#keys.clear()
  }

  async #hand(): Promise<void> {
    this.#waiting = true
    await this.#clock.sleep(this.#milliseconds, this.#signal)
    this.#waiting = false
    const keys = this.#keys
    this.#keys = new Set()
    if (!this.#signal.aborted && keys.size > 0) this.#take(keys)
  }
}
