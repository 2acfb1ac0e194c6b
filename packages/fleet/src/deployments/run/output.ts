import { OUTPUT_PIECE_MAX_BYTES } from '@fleet/contract'
import type { Mask } from '#/logs/api.ts'

/** A line that does not end is passed on in pieces of this size. */
const LINE_MAX_BYTES = OUTPUT_PIECE_MAX_BYTES

/** Masked output of one stream, in whole lines as far as they end; every byte but those of a secret comes out as it went in. */
export class OutputLines {
  readonly #mask: Mask
  #rest = Buffer.alloc(0)

  constructor(mask: Mask) {
    this.#mask = mask
  }

  /** What can be passed on now, in pieces of at most 16 KiB. */
  take(chunk: Buffer): readonly Buffer[] {
    const all = Buffer.concat([this.#rest, chunk])
    const end = all.length > LINE_MAX_BYTES ? all.length : all.lastIndexOf(0x0a) + 1
    this.#rest = all.subarray(end)
    return this.#pieces(all.subarray(0, end))
  }

  rest(): readonly Buffer[] {
    const rest = this.#rest
    this.#rest = Buffer.alloc(0)
    return this.#pieces(rest)
  }

  #pieces(bytes: Buffer): readonly Buffer[] {
    if (bytes.length === 0) return []
    // One character for each byte, so that what is no text survives.
    const masked = this.#mask(bytes.toString('latin1').split('\n')).join('\n')
    const safe = Buffer.from(masked, 'latin1')
    const pieces: Buffer[] = []
    for (let at = 0; at < safe.length; at += OUTPUT_PIECE_MAX_BYTES)
      pieces.push(safe.subarray(at, at + OUTPUT_PIECE_MAX_BYTES))
    return pieces
  }
}
