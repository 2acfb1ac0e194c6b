import { StringDecoder } from 'node:string_decoder'

export interface Line {
  readonly text: string
  /** Bytes of the line that were not kept because it is too long. */
  readonly skipped: number
}

const NEWLINE = 0x0a

/** Cuts bytes into lines, of each of which at most so many bytes are kept. Never holds more than that. */
export class Lines {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #bytes = 0
  #skipped = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that this chunk ends. */
  take(chunk: Buffer): readonly Line[] {
    const lines: Line[] = []
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at))
      lines.push(this.#end())
      from = at + 1
    }
    this.#keep(chunk.subarray(from))
    return lines
  }

  /** The text after the last line break, as a separate line. */
  rest(): readonly Line[] {
    return this.#bytes > 0 || this.#skipped > 0 ? [this.#end()] : []
  }

  #keep(bytes: Buffer): void {
    const room = this.#maxBytes - this.#bytes
    const kept = bytes.length > room ? bytes.subarray(0, room) : bytes
    this.#skipped += bytes.length - kept.length
    if (kept.length === 0) return
    // A copy: a slice would hold on to the whole chunk.
    this.#parts.push(Buffer.from(kept))
    this.#bytes += kept.length
  }

  #end(): Line {
    const bytes = this.#parts.length === 1 ? (this.#parts[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#parts)
    const line = { text: textOf(bytes), skipped: this.#skipped }
    this.#parts = []
    this.#bytes = 0
    this.#skipped = 0
    return line
  }
}

/** Without a carriage return at its end, and without half of a character where it was cut. */
function textOf(bytes: Buffer): string {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length
  return new StringDecoder('utf8').write(bytes.subarray(0, end))
}
