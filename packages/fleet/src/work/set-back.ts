import type { Clock } from '@fleet/kernel'

/** A clock that is corrected bit by bit stays within it between two looks. */
const LEAST_MILLISECONDS = 1000

/** Notices that the clock was set back, by the ticks, which nobody sets. */
export class SetBack {
  readonly #clock: Pick<Clock, 'now' | 'ticks'>
  #ahead: number

  constructor(clock: Pick<Clock, 'now' | 'ticks'>) {
    this.#clock = clock
    this.#ahead = this.#measure()
  }

  /** Gives the work the time that the clock had reached, if it was set back since this last succeeded. */
  async follow(work: (reached: Date) => Promise<void>): Promise<void> {
    const ahead = this.#measure()
    const back = this.#ahead - ahead
    if (back >= LEAST_MILLISECONDS) await work(new Date(this.#clock.now().getTime() + back))
    this.#ahead = ahead
  }

  #measure(): number {
    return this.#clock.now().getTime() - this.#clock.ticks()
  }
}
