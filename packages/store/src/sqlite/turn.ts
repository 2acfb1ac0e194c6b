/** Gives one turn at a time, first come, first served. */
export class Turn {
  #taken = false
  readonly #waiting: (() => void)[] = []

  /** Resolves with the function that ends the turn. Calling it twice does nothing more. */
  async take(): Promise<() => void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#taken = true
    let ended = false
    return () => {
      if (ended) return
      ended = true
      this.#pass()
    }
  }

  // The turn is handed over while still taken, so that a newcomer cannot overtake those who wait.
  #pass(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken = false
  }
}
