import type { RealtimeServer } from '@fleet/fleet'
import { backoff, ConnectionFailure, openConnection } from '@fleet/pusher-client'
import { Attendance } from './attendance.ts'
import type { SubscriberDeps } from './deps.ts'

/** How often who serves the feed is looked up while nobody does, and how long at most nothing is heard of the subscriber. */
const LOOK_MILLISECONDS = 5000

/**
 * Joins the channels of every managed Node and keeps what agents report there, until the signal aborts (AG-008). One
 * connection at a time; it follows the `websocket` role when that moves.
 */
export class Subscriber {
  readonly #deps: SubscriberDeps
  #trouble: string | undefined

  constructor(deps: SubscriberDeps) {
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      this.#deps.views.beat(false)
      const outcome = await this.#once(signal)
      failures = outcome === 'failed' ? failures + 1 : 0
      if (outcome === 'moved' || signal.aborted) continue
      await this.#pause(
        outcome === 'nobody' ? LOOK_MILLISECONDS : backoff(Math.max(0, failures - 1), this.#deps.ids),
        signal,
      )
    }
  }

  /** `ended`: an established connection was lost. `moved`: it was closed in favor of another server. */
  async #once(signal: AbortSignal): Promise<'nobody' | 'failed' | 'ended' | 'moved'> {
    try {
      const { current } = await this.#deps.servers()
      if (!current) return 'nobody'
      using connection = await openConnection(this.#targetOf(current), { clock: this.#deps.clock, signal })
      this.#say(undefined)
      return await new Attendance(this.#deps, current, connection).run(signal)
    } catch (error) {
      if (!signal.aborted) this.#say(error)
      return 'failed'
    }
  }

  #targetOf({ url, address, app }: RealtimeServer) {
    return { url, address, key: app.key, ca: this.#deps.rootCertificate }
  }

  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    for (let left = milliseconds; left > 0 && !signal.aborted; left -= LOOK_MILLISECONDS) {
      this.#deps.views.beat(false)
      await this.#deps.clock.sleep(Math.min(left, LOOK_MILLISECONDS), signal)
    }
  }

  /** One warning for as long as it is the same trouble. */
  #say(error: unknown): void {
    const trouble =
      error instanceof ConnectionFailure ? error.code : error === undefined ? undefined : 'other'
    if (trouble !== undefined && trouble !== this.#trouble)
      this.#deps.log.warn({ err: error }, 'the agents of Nodes cannot be followed')
    this.#trouble = trouble
  }
}
