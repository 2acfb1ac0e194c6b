import { FEED_WIRE_CHANNEL, type FeedEvent, type RealtimeServer, type RealtimeServers } from '@fleet/fleet'
import type { Clock } from '@fleet/kernel'
import { PUSHER_LIMITS } from '@fleet/pusher'
import type { Logger } from 'pino'
import { envelopeOf } from './envelope.ts'
import type { Feed } from './feed.ts'
import type { PostBounds, Poster } from './post.ts'
import { batchPath } from './batch-path.ts'

export interface BroadcasterDeps {
  readonly servers: () => Promise<RealtimeServers>
  readonly poster: Poster
  readonly clock: Clock
  readonly log: Logger
  /** Name of this process among all that have ever published events. */
  readonly run: string
}

/** The server of the feed, and one whose clients are moving away (LIM-001, LIM-002, LIM-005). */
const CURRENT: PostBounds = { connectMilliseconds: 2000, totalMilliseconds: 5000 }
const LEAVING: PostBounds = { connectMilliseconds: 300, totalMilliseconds: 500 }

/** After a failure the old server of a move gets nothing for this long; the current one is asked with every request (LIM-006). */
const SKIP_LEAVING_MILLISECONDS = 30_000

/** Who serves the feed changes with roles only, and those are published as events of Nodes. */
const LOOKUP_MILLISECONDS = 1000

/**
 * Publishes the events of requests to the fleet's WebSocket servers, within the request and within limits (EV-011,
 * EV-012).
 */
export class Broadcaster implements Feed {
  readonly #deps: BroadcasterDeps
  readonly #skipUntil = new Map<string, number>()
  #sequence = 0
  #lookup: { readonly servers: Promise<RealtimeServers>; readonly until: number } | undefined

  constructor(deps: BroadcasterDeps) {
    this.#deps = deps
  }

  async isServed(): Promise<boolean> {
    const { current, leaving } = await this.#servers()
    return current !== undefined || leaving.length > 0
  }

  async publish(events: readonly FeedEvent[]): Promise<void> {
    if (events.some(({ type }) => type.startsWith('node.'))) this.#lookup = undefined
    const { current, leaving } = await this.#servers()
    const batches = current || leaving.length > 0 ? this.#batches(events) : []
    await Promise.all([
      ...(current ? [this.#send(current, batches, CURRENT)] : []),
      ...leaving.map((server) => this.#sendToLeaving(server, batches)),
    ])
  }

  #servers(): Promise<RealtimeServers> {
    const now = this.#deps.clock.ticks()
    if (!this.#lookup || this.#lookup.until <= now)
      this.#lookup = { servers: this.#deps.servers(), until: now + LOOKUP_MILLISECONDS }
    return this.#lookup.servers
  }

  /** Bodies of signed requests, each with as many events as one may have. One that is too long for the server is left out and logged. */
  #batches(events: readonly FeedEvent[]): readonly string[] {
    const at = this.#deps.clock.now()
    const messages = events.flatMap((event) => {
      this.#sequence += 1
      const data = JSON.stringify(envelopeOf(event, at, { sequence: this.#sequence, run: this.#deps.run }))
      const bytes = Buffer.byteLength(data)
      if (bytes <= PUSHER_LIMITS.messageBytes) return [{ name: event.type, channel: FEED_WIRE_CHANNEL, data }]
      this.#deps.log.warn({ type: event.type, id: event.id, bytes }, 'an event is too large for the feed')
      return []
    })
    const size = PUSHER_LIMITS.eventsPerBatch
    const count = Math.ceil(messages.length / size)
    return Array.from({ length: count }, (_, index) =>
      JSON.stringify({ batch: messages.slice(index * size, (index + 1) * size) }),
    )
  }

  async #sendToLeaving(server: RealtimeServer, batches: readonly string[]): Promise<void> {
    const { clock } = this.#deps
    const place = `${server.address}:${server.port}`
    if ((this.#skipUntil.get(place) ?? 0) > clock.ticks()) return
    if (await this.#send(server, batches, LEAVING)) this.#skipUntil.delete(place)
    else this.#skipUntil.set(place, clock.ticks() + SKIP_LEAVING_MILLISECONDS)
  }

  /** Whether the server took all batches; a failure is a warning in the log (LIM-003). */
  async #send(server: RealtimeServer, batches: readonly string[], bounds: PostBounds): Promise<boolean> {
    const { clock, log, poster } = this.#deps
    const start = clock.ticks()
    try {
      for (const body of batches) {
        const totalMilliseconds = bounds.totalMilliseconds - (clock.ticks() - start)
        await poster.post(server, batchPath(server, body, clock), body, { ...bounds, totalMilliseconds })
      }
      return true
    } catch (error) {
      log.warn({ err: error, node: server.nodeName }, 'the WebSocket server did not accept the events')
      return false
    }
  }
}
