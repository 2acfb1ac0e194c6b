/** A rate with a burst: what may be taken grows with time up to the burst. */
export class Rate {
  readonly #perSecond: number
  readonly #burst: number
  #left: number
  #at: number

  constructor(given: { readonly bytesPerSecond: number; readonly burstBytes: number }, now: number) {
    this.#perSecond = given.bytesPerSecond
    this.#burst = given.burstBytes
    this.#left = given.burstBytes
    this.#at = now
  }

  /** `now` in monotonic milliseconds. */
  take(bytes: number, now: number): boolean {
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) * this.#perSecond) / 1000)
    this.#at = now
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }
}
