import type { Clock } from '@fleet/kernel'
import { LOOK_MILLISECONDS } from './source.ts'

/** Bytes that are read before the reader rests: far more than any stream may send, and no busy processor. */
const READ_MAX_BYTES = 512 * 1024

/** Holds a source back that has more to say than anybody will see. */
export class Pace {
  readonly #clock: Clock
  #bytes = 0
  #since: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.ticks()
  }

  /** Undefined, or what to wait for before more is read. */
  read(bytes: number): Promise<void> | undefined {
    const now = this.#clock.ticks()
    if (now - this.#since >= LOOK_MILLISECONDS) {
      this.#since = now
      this.#bytes = 0
    }
    this.#bytes += bytes
    return this.#bytes > READ_MAX_BYTES ? this.#clock.sleep(LOOK_MILLISECONDS) : undefined
  }
}
