/** A bounded number of users at a time; the others wait in the order they came. */
export class Slots {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Resolves with the slot's release, to be called once. Rejects with the signal's reason when that comes first. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#used < this.#limit) this.#used += 1
    else await this.#turn(signal)
    return () => this.#release()
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(signal.reason as Error) // The pool aborts with errors only.
      }
      this.#waiting.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #release(): void {
    const next = this.#waiting.shift()
    // The slot goes straight to the next in line, so that nobody who comes now can overtake it.
    if (next) next()
    else this.#used -= 1
  }
}
