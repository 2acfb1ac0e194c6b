import { AsyncLocalStorage } from 'node:async_hooks'

interface Mark {
  open: boolean
}

/** Gives one turn at a time, first come, first served. */
export class Turn {
  readonly #inside = new AsyncLocalStorage<Mark>()
  readonly #waiting: (() => void)[] = []
  #taken = false

  /** Resolves with the function that ends the turn. Calling it twice does nothing more. */
  async take(): Promise<() => void> {
    // Waiting for one's own transaction would never end.
    if (this.#inside.getStore()?.open) {
      throw new Error('inside a transaction every write must go through its own handle')
    }
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#taken = true
    let ended = false
    return () => {
      if (ended) return
      ended = true
      this.#pass()
    }
  }

  /** Runs work that holds the turn: everything it starts is refused a turn of its own until it is over. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    const mark = { open: true }
    try {
      return await this.#inside.run(mark, work)
    } finally {
      mark.open = false
    }
  }

  // The turn is handed over while still taken, so that a newcomer cannot overtake those who wait.
  #pass(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken = false
  }
}
