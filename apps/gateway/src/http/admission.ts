import { fail } from '@fleet/contract'

/** Requests in hand at once. Above it a request is told to come back, so that a flood cannot eat the memory. */
const MAX_IN_HAND = 2048

/** Counts what is in hand, refuses what is too much, and lets a stop wait for the rest. */
export class Admission {
  #inHand = 0
  #draining = false
  #idle: (() => void) | undefined

  get draining(): boolean {
    return this.#draining
  }

  /** Throws `http.draining`, unless the request may also be asked while draining, or `http.busy`. The returned function gives the place back. */
  enter(whileDraining = false): () => void {
    if (this.#draining && !whileDraining) throw fail('http.draining')
    if (this.#inHand >= MAX_IN_HAND) throw fail('http.busy')
    this.#inHand += 1
    return () => {
      this.#inHand -= 1
      if (this.#inHand === 0) this.#idle?.()
    }
  }

  /** Takes nothing new and resolves when all is done. */
  drain(): Promise<void> {
    this.#draining = true
    if (this.#inHand === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idle = resolve
    })
  }
}
