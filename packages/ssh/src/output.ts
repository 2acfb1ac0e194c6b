import type { OutputListener } from './types.ts'

/** What a command prints on one output, up to a number of bytes, or for a listener as it arrives. */
export class Output {
  readonly #chunks: Buffer[] = []
  readonly #maxBytes: number
  #bytes = 0

  readonly #listener: ((chunk: Buffer) => void) | undefined

  constructor(maxBytes: number, listener?: (chunk: Buffer) => void) {
    this.#maxBytes = maxBytes
    this.#listener = listener
  }

  /** Both outputs of one command. */
  static pair(maxBytes: number, listener?: OutputListener): readonly [stdout: Output, stderr: Output] {
    if (!listener) return [new Output(maxBytes), new Output(maxBytes)]
    return [
      new Output(maxBytes, (chunk) => listener('stdout', chunk)),
      new Output(maxBytes, (chunk) => listener('stderr', chunk)),
    ]
  }

  /** Keeps the chunk and says true, or drops it and says false once there is more than allowed. */
  add(chunk: Buffer): boolean {
    if (this.#listener) {
      if (chunk.length > 0) this.#listener(chunk)
      return true
    }
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
