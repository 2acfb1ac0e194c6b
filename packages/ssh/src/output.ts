/** What a command prints on one output, up to a number of bytes. */
export class Output {
  readonly #chunks: Buffer[] = []
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Keeps the chunk and says true, or drops it and says false once there is more than allowed. */
  add(chunk: Buffer): boolean {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) {
      this.#chunks.length = 0
      return false
    }
    this.#chunks.push(chunk)
    return true
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}
