/** Counts what happens within one second of the caller's clock. */
export class SecondRate {
  #second = 0
  #count = 0

  /** Counts one more; false when this second has had as many as it may. */
  take(milliseconds: number, perSecond: number): boolean {
    const second = Math.floor(milliseconds / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#count = 0
    }
    this.#count += 1
    return this.#count <= perSecond
  }
}
