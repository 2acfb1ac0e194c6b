import type { Clock } from './clock.ts'

/**
 * The time one request may spend on remote work (GW-034): `totalSeconds` in all,
 * of which forward work leaves the last `reserveSeconds` to clean-up.
 */
export class Deadline {
  readonly #clock: Clock
  readonly #end: number
  readonly #reserveMilliseconds: number

  constructor(clock: Clock, totalSeconds: number, reserveSeconds: number) {
    this.#clock = clock
    this.#end = clock.ticks() + totalSeconds * 1000
    this.#reserveMilliseconds = reserveSeconds * 1000
  }

  /** Milliseconds left for clean-up, never negative. */
  remainingMilliseconds(): number {
    return Math.max(0, this.#end - this.#clock.ticks())
  }

  /** Milliseconds left for forward work, never negative. */
  forwardMilliseconds(): number {
    return Math.max(0, this.remainingMilliseconds() - this.#reserveMilliseconds)
  }

  /** The same end with another share kept for clean-up, as creation does for a failed setup (PRJ-071). */
  reserving(reserveSeconds: number): Deadline {
    return new Deadline(this.#clock, this.remainingMilliseconds() / 1000, reserveSeconds)
  }
}
