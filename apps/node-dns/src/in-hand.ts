/** Work that has begun and not ended. */
export class InHand {
  #count = 0
  #over = Promise.withResolvers<void>()

  add(work: Promise<unknown>): void {
    if (this.#count++ === 0) this.#over = Promise.withResolvers()
    const end = (): void => {
      if (--this.#count === 0) this.#over.resolve()
    }
    // A question that fails stays unanswered; nobody else's is touched by it.
    work.then(end, end)
  }

  /** Resolves at the first moment with nothing in progress. */
  async idle(): Promise<void> {
    if (this.#count > 0) await this.#over.promise
  }
}
