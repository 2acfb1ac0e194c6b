/**
 * Several frames as one piece of memory. Subscribers of one channel wait for the same frames, so what was joined for one
 * is mostly what the next one needs: it is made once and shared.
 */
export class Joined {
  #parts: readonly Buffer[] = []
  #whole: Buffer = Buffer.alloc(0)

  of(parts: readonly Buffer[]): Buffer {
    if (!isSame(parts, this.#parts)) {
      this.#parts = parts
      this.#whole = Buffer.concat(parts)
    }
    return this.#whole
  }
}

function isSame(one: readonly Buffer[], other: readonly Buffer[]): boolean {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false
  return true
}
