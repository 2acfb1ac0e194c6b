/** Bytes of a stream in the pieces that a protocol has. Kept as the chunks they came in, so a long field is never joined. */
export class Taker {
  #chunks: Buffer[] = []
  #length = 0

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
  }

  get length(): number {
    return this.#length
  }

  /** Exactly `count` bytes, or undefined while fewer are here. */
  take(count: number): Buffer | undefined {
    return this.#length < count ? undefined : this.takeUpTo(count)
  }

  /** The next bytes, which stay; undefined while fewer are here. */
  peek(count: number): Buffer | undefined {
    const taken = this.take(count)
    if (taken) {
      this.#chunks.unshift(taken)
      this.#length += taken.length
    }
    return taken
  }

  /** At most `count` bytes. */
  takeUpTo(count: number): Buffer {
    const parts: Buffer[] = []
    let left = Math.min(count, this.#length)
    this.#length -= left
    while (left > 0) {
      const [first] = this.#chunks
      if (first === undefined) break
      if (first.length <= left) this.#chunks.shift()
      else this.#chunks[0] = first.subarray(left)
      parts.push(first.subarray(0, left))
      left -= Math.min(left, first.length)
    }
    const [only] = parts
    return parts.length === 1 && only ? only : Buffer.concat(parts)
  }
}
