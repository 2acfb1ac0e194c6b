import type { LogStreamEventData } from '@fleet/contract'
import { TRUNCATED } from '#/logs/mask.ts'

/**
 * JSON of the lines of one event. An event stays under 10,000 bytes (LOGS-019); type, id, time and counts take less than
 * the rest.
 */
const LINES_MAX_BYTES = 9600

export type LinesData = LogStreamEventData<'log.lines'>

interface Chunk {
  readonly sequence: number
  readonly lines: string[]
  /** Of the lines in JSON. */
  jsonBytes: number
  dropped: number
  skipped: number
  /** It may have been sent, so it stays as it is. */
  isSealed: boolean
}

/** Lines of one stream on their way to its client, cut into events whose numbers stay however often they are sent (LOGS-011). */
export class LogOutbox {
  readonly #chunks: Chunk[] = []
  #sequence = 0
  #bytes = 0

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes
  }
  get isEmpty(): boolean {
    return this.#chunks.length === 0
  }

  addLine(line: string): void {
    const whole = byteLengthInJson(line) <= LINES_MAX_BYTES
    const fitting = whole ? line : shortened(line)
    const jsonBytes = byteLengthInJson(fitting)
    const chunk = this.#open(jsonBytes)
    chunk.lines.push(fitting)
    chunk.jsonBytes += jsonBytes
    this.#bytes += jsonBytes
  }

  addDropped(lines: number): void {
    if (lines > 0) this.#open(0).dropped += lines
  }
  addSkipped(bytes: number): void {
    if (bytes > 0) this.#open(0).skipped += bytes
  }

  /** Everything that waits, in order. */
  seal(): readonly LinesData[] {
    for (const chunk of this.#chunks) chunk.isSealed = true
    return this.#chunks.map(({ sequence, lines, dropped, skipped }) => ({
      sequence,
      lines,
      dropped,
      skipped,
    }))
  }

  /** The oldest one has arrived. */
  delivered(): void {
    const chunk = this.#chunks.shift()
    this.#bytes -= chunk?.jsonBytes ?? 0
  }

  clear(): void {
    this.#chunks.length = 0
    this.#bytes = 0
  }

  #open(jsonBytes: number): Chunk {
    const last = this.#chunks.at(-1)
    if (last && !last.isSealed && last.jsonBytes + jsonBytes <= LINES_MAX_BYTES) return last
    this.#sequence += 1
    const chunk = {
      sequence: this.#sequence,
      lines: [],
      jsonBytes: 0,
      dropped: 0,
      skipped: 0,
      isSealed: false,
    }
    this.#chunks.push(chunk)
    return chunk
  }
}

/** With the comma after it. */
const byteLengthInJson = (line: string): number => Buffer.byteLength(JSON.stringify(line)) + 1

/** Escapes may make a line of 8 KiB longer than an event: its beginning, with the mark of a cut. */
function shortened(line: string): string {
  let [least, most] = [0, line.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (byteLengthInJson(cutAt(line, middle)) <= LINES_MAX_BYTES) least = middle
    else most = middle - 1
  }
  return cutAt(line, least)
}

/** Never in the middle of a character. */
const cutAt = (line: string, length: number): string => {
  const isInPair = /[\uD800-\uDBFF]/.test(line.charAt(length - 1))
  return `${line.slice(0, isInPair ? length - 1 : length)}${TRUNCATED}`
}
