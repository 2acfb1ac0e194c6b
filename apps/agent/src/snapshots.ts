import type { Clock } from '@fleet/kernel'
import type { Connection } from '@fleet/pusher-client'

/** LIM-013, with time left for the way. */
const AT_LEAST_MILLISECONDS = 55_000
/** Many members may come in one moment; all of them hear the same snapshot. */
const APART_MILLISECONDS = 1000
/** A network that does not take what it has been given is not given more. */
const BUFFERED_MAX_BYTES = 256 * 1024

/** Sends the complete state when a subscriber may lack it, and periodically (AG-020). */
export class Snapshots {
  readonly #clock: Clock
  readonly #connection: Connection
  readonly #tell: () => void
  #asked = Promise.withResolvers<void>()
  #begun = false

  constructor(clock: Clock, connection: Connection, report: () => void) {
    this.#clock = clock
    this.#connection = connection
    this.#tell = report
  }

  /** Whether the first one went out: single changes mean nothing before. */
  get begun(): boolean {
    return this.#begun
  }

  ask(): void {
    this.#asked.resolve()
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#connection.buffered <= BUFFERED_MAX_BYTES) {
        this.#asked = Promise.withResolvers()
        this.#begun = true
        this.#tell()
      }
      await this.#clock.sleep(APART_MILLISECONDS, signal)
      if (this.#connection.buffered > BUFFERED_MAX_BYTES) continue
      const waiting = new AbortController()
      const either = AbortSignal.any([signal, waiting.signal])
      await Promise.race([
        this.#asked.promise,
        this.#clock.sleep(AT_LEAST_MILLISECONDS - APART_MILLISECONDS, either),
      ])
      waiting.abort()
    }
  }
}
