export interface SlotLimits {
  /** Users at a time. */
  readonly all: number
  /** Of them, users that may stay long; the rest of the slots is kept for short use. As many as all when absent. */
  readonly long?: number
}

interface Waiting {
  readonly isLong: boolean
  readonly enter: () => void
}

/**
 * A bounded number of users at a time. The others wait in the order they came; those that may stay long also wait for each
 * other, and let short ones pass meanwhile.
 */
export class Slots {
  readonly #limits: Required<SlotLimits>
  readonly #waiting: Waiting[] = []
  #used = 0
  #usedLong = 0

  constructor({ all, long = all }: SlotLimits) {
    this.#limits = { all, long }
  }

  /** Resolves with the slot's release, to be called once. Rejects with the signal's reason when that comes first. */
  async take(signal: AbortSignal, isLong = false): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#isFree(isLong)) this.#enter(isLong)
    else await this.#turn(signal, isLong)
    return () => this.#release(isLong)
  }

  #isFree(isLong: boolean): boolean {
    return this.#used < this.#limits.all && !(isLong && this.#usedLong >= this.#limits.long)
  }

  #enter(isLong: boolean): void {
    this.#used += 1
    if (isLong) this.#usedLong += 1
  }

  #turn(signal: AbortSignal, isLong: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const waiting = { isLong, enter }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(signal.reason as Error) // The pool aborts with errors only.
      }
      this.#waiting.push(waiting)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #release(wasLong: boolean): void {
    this.#used -= 1
    if (wasLong) this.#usedLong -= 1
    // The slot goes straight to the next in line, so that nobody who comes now can overtake it.
    const index = this.#waiting.findIndex(({ isLong }) => this.#isFree(isLong))
    const [next] = index === -1 ? [] : this.#waiting.splice(index, 1)
    if (!next) return
    this.#enter(next.isLong)
    next.enter()
  }
}
