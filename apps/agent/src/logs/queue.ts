import { PemMask } from '@fleet/kernel'
import { cutLine, jsonBytes } from './cut-line.ts'
import { maskFirst } from './mask-first.ts'
import type { ChannelLine, Sink } from './source.ts'

/** Bytes that wait to be sent; older lines make room for newer ones. */
const WAITING_MAX_BYTES = 256 * 1024
/** Bytes of the lines of one message, as JSON (LOGS-019). */
const MESSAGE_MAX_BYTES = 9600

/** One `client-log` without its stream (LOGS-009). */
export interface LogMessage {
  readonly sequence: number
  /** Oldest first; dropped and skipped lines came before them. */
  readonly lines: readonly string[]
  readonly dropped: number
  readonly skipped: number
}

export interface Allowance {
  /** Bytes that may go now. */
  left(): number
  take(bytes: number): void
}

/** The lines of one stream on their way: masked and cut as they come in, in order, never more than its bound. */
export class LogQueue implements Sink {
  readonly #count: number
  readonly #onFirst: () => void
  readonly #masks = { out: new PemMask(), error: new PemMask() }
  /** Outside the rates (LOGS-015). */
  readonly #first: string[] = []
  readonly #waiting: string[] = []
  #waitingBytes = 0
  #dropped = 0
  #skipped = 0
  #sequence = 0

  /** `count` of first lines; `onFirst` is called when they are there. */
  constructor(count: number, onFirst: () => void) {
    this.#count = count
    this.#onFirst = onFirst
  }

  first(lines: readonly ChannelLine[]): void {
    this.#first.push(...maskFirst(lines, this.#count, this.#masks))
    this.#onFirst()
  }

  take(lines: readonly ChannelLine[]): void {
    for (const { text, skipped, channel = 'out' } of lines) {
      const line = cutLine(this.#masks[channel].mask(text), skipped > 0)
      this.#waiting.push(line)
      this.#waitingBytes += Buffer.byteLength(line)
    }
    let gone = 0
    while (this.#waitingBytes > WAITING_MAX_BYTES)
      this.#waitingBytes -= Buffer.byteLength(this.#waiting[gone++] ?? '')
    this.#waiting.splice(0, gone)
    this.#dropped += gone
  }

  skip(bytes: number): void {
    this.#skipped += bytes
  }

  get room(): number {
    return Math.max(0, WAITING_MAX_BYTES - this.#waitingBytes)
  }

  /** The next message that may go now; undefined when there is none. */
  next(rates: readonly Allowance[]): LogMessage | undefined {
    const first = this.#first.length > 0
    const lines = first ? taken(this.#first) : taken(this.#waiting, rates)
    if (lines.length === 0) return undefined
    if (!first) this.#waitingBytes -= lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0)
    const message = {
      sequence: ++this.#sequence,
      lines,
      dropped: first ? 0 : this.#dropped,
      skipped: first ? 0 : this.#skipped,
    }
    if (!first) {
      this.#dropped = 0
      this.#skipped = 0
    }
    return message
  }
}

/** Takes from the front what one message holds and every rate allows. */
function taken(lines: string[], rates: readonly Allowance[] = []): readonly string[] {
  let json = 0
  let count = 0
  for (const line of lines) {
    const bytes = Buffer.byteLength(line) + 1
    // With its comma.
    json += jsonBytes(line) + 1
    if (count > 0 && json > MESSAGE_MAX_BYTES) break
    if (rates.some((rate) => rate.left() < bytes)) break
    for (const rate of rates) rate.take(bytes)
    count += 1
  }
  return lines.splice(0, count)
}
