/**
 * Frames that wait to be written, in their order. Subscribers of one channel mostly wait for the same ones: they go the
 * same way from batch to batch, so one more frame costs a recipient no memory, and what is written is joined once for all.
 */
export class Batch {
  readonly frame: Buffer
  /** Of all its frames. */
  readonly length: number
  readonly #before: Batch | undefined
  #after: Batch | undefined
  #whole: Buffer | undefined

  constructor(frame: Buffer, before?: Batch) {
    this.frame = frame
    this.length = (before?.length ?? 0) + frame.length
    this.#before = before
  }

  /** The same with one more frame at its end. */
  and(frame: Buffer): Batch {
    if (this.#after?.frame !== frame) this.#after = new Batch(frame, this)
    return this.#after
  }

  /** All frames as one piece of memory. */
  whole(): Buffer {
    return (this.#whole ??= this.#before ? this.#join() : this.frame)
  }

  #join(): Buffer {
    const frames = [this.frame]
    for (let at = this.#before; at; at = at.#before) frames.push(at.frame)
    return Buffer.concat(frames.toReversed(), this.length)
  }
}
