/** Lets so much a second pass, and so much at once after a pause. */
export class Rate {
  readonly #perSecond: number
  readonly #burst: number
  #left: number
  #at: number | undefined

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#left = burst
  }

  /** What may pass at this moment, in ticks. */
  left(now: number): number {
    const gained = ((now - (this.#at ?? now)) / 1000) * this.#perSecond
    this.#left = Math.min(this.#burst, this.#left + Math.max(0, gained))
    this.#at = now
    return this.#left
  }

  take(amount: number): void {
    this.#left -= amount
  }
}
