/** Work that has begun and not ended. */
export class InHand {
  #count = 0
  #over = Promise.withResolvers<void>()

  /** The work must not reject. */
  add(work: Promise<unknown>): void {
    if (this.#count++ === 0) this.#over = Promise.withResolvers()
    void work.finally(() => {
      if (--this.#count === 0) this.#over.resolve()
    })
  }

  /** Resolves at the first moment with nothing in hand. */
  async idle(): Promise<void> {
    if (this.#count > 0) await this.#over.promise
  }
}
