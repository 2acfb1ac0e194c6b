/** What a connection has done when it is looked at. */
export interface Delivery {
  /** Whether something waits for the client to read. */
  readonly isWaiting: boolean
  /** Bytes that the client took, in all. */
  readonly delivered: number
  /** Bytes that it takes at least in the time given, while something waits. */
  readonly least: number
}

/** How fast a client reads what waits for it. One that has read everything may rest as long as it likes. */
export class Pace {
  readonly #milliseconds: number
  #since: number
  #mark = 0

  /** `now` and later moments are ticks; `milliseconds` is the time for which a client is watched. */
  constructor(now: number, milliseconds: number) {
    this.#since = now
    this.#milliseconds = milliseconds
  }

  /** True for a client that took less than the least for the whole time, while something waited. */
  isTooSlow(now: number, { isWaiting, delivered, least }: Delivery): boolean {
    if (!isWaiting || delivered - this.#mark >= least) {
      this.#since = now
      this.#mark = delivered
    }
    return now - this.#since >= this.#milliseconds
  }
}

/** Time in which a client reads so many bytes, of a connection and of each answer that waits on it: 1 KiB a second. */
export const READING = { milliseconds: 60_000, ofConnection: 64 * 1024, ofAnswer: 16 * 1024 } as const
