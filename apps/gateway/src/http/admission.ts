import { fail } from '@fleet/contract'

/**
 * Requests in progress at once. Further requests are refused with a retry, so that a flood cannot exhaust the memory.
 */
const MAX_REQUESTS = 2048
/** Of one address, with those whose body is still arriving: no Node can take the places of all others. */
const MAX_REQUESTS_OF_ONE = 512

/** One admitted request. */
export interface Place {
  /** Gives the place back. Idempotent. */
  leave(): void
  /**
   * Waits for something that the client sends, without a place: a body that never ends keeps nobody else out. Throws
   * `http.busy` when no place is free afterwards.
   */
  without<T>(wait: () => Promise<T>): Promise<T>
}

/** Counts requests, refuses those that are too many, and lets a stop wait for the rest. */
export class Admission {
  readonly #ofOne = new Map<string, number>()
  /** Admitted, of which those in `#waiting` have no place at the moment. */
  #admitted = 0
  #waiting = 0
  #draining = false
  #idle: (() => void) | undefined

  get draining(): boolean {
    return this.#draining
  }

  /** Throws `http.draining`, unless the request may also be asked while draining, or `http.busy`. */
  enter(address: string, whileDraining = false): Place {
    if (this.#draining && !whileDraining) throw fail('http.draining')
    const own = this.#ofOne.get(address) ?? 0
    if (this.#isFull() || own >= MAX_REQUESTS_OF_ONE) throw fail('http.busy')
    this.#ofOne.set(address, own + 1)
    this.#admitted += 1
    let hasLeft = false
    return {
      leave: () => {
        if (hasLeft) return
        hasLeft = true
        this.#leave(address)
      },
      without: async (wait) => {
        this.#waiting += 1
        try {
          return await wait()
        } finally {
          this.#waiting -= 1
          this.#requirePlace()
        }
      },
    }
  }

  /** Takes nothing new and resolves when all is done. */
  drain(): Promise<void> {
    this.#draining = true
    if (this.#admitted === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idle = resolve
    })
  }

  #isFull(): boolean {
    return this.#admitted - this.#waiting >= MAX_REQUESTS
  }

  /** The one that came back is counted already. */
  #requirePlace(): void {
    if (this.#admitted - this.#waiting > MAX_REQUESTS) throw fail('http.busy')
  }

  #leave(address: string): void {
    const left = (this.#ofOne.get(address) ?? 1) - 1
    if (left > 0) this.#ofOne.set(address, left)
    else this.#ofOne.delete(address)
    this.#admitted -= 1
    if (this.#admitted === 0) this.#idle?.()
  }
}
