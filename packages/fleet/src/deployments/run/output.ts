import { OUTPUT_PIECE_MAX_BYTES } from '@fleet/contract'
import type { Mask } from '#/logs/api.ts'

/** Of a line that does not end this much is held back: a secret of up to this length is masked although it arrives in parts. */
const HELD_BYTES = OUTPUT_PIECE_MAX_BYTES
/** Between the places where such a line may be cut, should one lie inside a secret. */
const CUT_STEP_BYTES = 1024

/**
 * Masked output of one stream, in whole lines as far as they end; every byte but those of a secret comes out as it went in. A
 * line is held back until it has 32 KiB.
 */
export class OutputLines {
  readonly #mask: Mask
  #rest = Buffer.alloc(0)

  constructor(mask: Mask) {
    this.#mask = mask
  }

  /** What can be passed on now, in pieces of at most 16 KiB. */
  take(chunk: Buffer): readonly Buffer[] {
    const all = Buffer.concat([this.#rest, chunk])
    const last = all.lastIndexOf(0x0a) + 1
    const end = last + this.#cutOf(all.subarray(last))
    this.#rest = all.subarray(end)
    return this.#pieces(all.subarray(0, end))
  }

  rest(): readonly Buffer[] {
    const rest = this.#rest
    this.#rest = Buffer.alloc(0)
    return this.#pieces(rest)
  }

  /** How much of a line without an end passes: up to a place outside every secret; 0 while it is short. */
  #cutOf(line: Buffer): number {
    if (line.length <= 2 * HELD_BYTES) return 0
    const whole = this.#masked(line)
    for (let at = line.length - HELD_BYTES; at > 0; at -= CUT_STEP_BYTES)
      if (this.#masked(line.subarray(0, at)) + this.#masked(line.subarray(at)) === whole) return at
    return line.length
  }

  /** One character for each byte, so that what is no text survives. */
  #masked(bytes: Buffer): string {
    return this.#mask(bytes.toString('latin1').split('\n')).join('\n')
  }

  #pieces(bytes: Buffer): readonly Buffer[] {
    if (bytes.length === 0) return []
    const safe = Buffer.from(this.#masked(bytes), 'latin1')
    const pieces: Buffer[] = []
    for (let at = 0; at < safe.length; at += OUTPUT_PIECE_MAX_BYTES)
      pieces.push(safe.subarray(at, at + OUTPUT_PIECE_MAX_BYTES))
    return pieces
  }
}
