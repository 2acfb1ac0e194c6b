/** Lines between a producer that awaits each write and one reader: at most one line waits. */
export class LineQueue implements AsyncIterable<unknown> {
  #waiting: { line: unknown; taken: () => void } | undefined
  #wake: (() => void) | undefined
  #ended = false
  #abandoned = false

  /** Resolves when the reader has taken the line, or at once when the reader has gone. */
  push(line: unknown): Promise<void> {
    if (this.#abandoned) return Promise.resolve()
    return new Promise((taken) => {
      this.#waiting = { line, taken }
      this.#wake?.()
    })
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator {
    try {
      for (;;) {
        if (this.#waiting) {
          yield this.#waiting.line
          this.#release()
        } else if (this.#ended) return
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      // A client that goes away ends the reading, not the work.
      this.#abandoned = true
      this.#release()
    }
  }

  #release(): void {
    const taken = this.#waiting?.taken
    this.#waiting = undefined
    taken?.()
  }
}
