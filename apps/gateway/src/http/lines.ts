/** Lines between a producer and one reader, in order. What nobody reads any more is dropped. */
export class LineQueue implements AsyncIterable<unknown> {
  readonly #waiting: Array<{ readonly line: unknown; readonly taken: () => void }> = []
  #wake: (() => void) | undefined
  #lastTaken: (() => void) | undefined
  #ended = false
  #abandoned = false

  /** Lines that nobody has taken yet. */
  get length(): number {
    return this.#waiting.length
  }

  /** Resolves when the reader has come back for the next line, or at once when the reader has gone. Who does not await it is never slowed. */
  push(line: unknown): Promise<void> {
    if (this.#abandoned || this.#ended) return Promise.resolve()
    return new Promise((taken) => {
      this.#waiting.push({ line, taken })
      this.#wake?.()
    })
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /** Written out instead of as a generator, whose clean-up would not run for a reader that goes away before the first line. */
  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return {
      next: () => this.#next(),
      // A client that goes away ends the reading, not the work.
      return: () => {
        this.#abandoned = true
        this.#lastTaken?.()
        for (const { taken } of this.#waiting.splice(0)) taken()
        return Promise.resolve({ done: true, value: undefined })
      },
    }
  }

  async #next(): Promise<IteratorResult<unknown>> {
    this.#lastTaken?.()
    while (this.#waiting.length === 0 && !this.#ended && !this.#abandoned)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    const first = this.#waiting.shift()
    this.#lastTaken = first?.taken
    return first ? { done: false, value: first.line } : { done: true, value: undefined }
  }
}
