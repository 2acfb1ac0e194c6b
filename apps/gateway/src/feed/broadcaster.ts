import { FEED_WIRE_CHANNEL, type FeedEvent, type RealtimeServer, type RealtimeServers } from '@fleet/fleet'
import type { Clock } from '@fleet/kernel'
import { PUSHER_LIMITS } from '@fleet/pusher'
import type { Logger } from 'pino'
import { envelopeOf } from './envelope.ts'
import type { Feed } from './feed.ts'
import { CURRENT_BOUNDS, LEAVING_BOUNDS, type Poster } from './post.ts'
import { type SendBounds, type Message, OrderedSender } from './ordered-sender.ts'

export interface BroadcasterDeps {
  readonly servers: () => Promise<RealtimeServers>
  readonly poster: Poster
  readonly clock: Clock
  readonly log: Logger
  /** Name of this process among all that have ever published events. */
  readonly run: string
}

const CURRENT: SendBounds = { ...CURRENT_BOUNDS, isSkippedAfter: false }
const LEAVING: SendBounds = { ...LEAVING_BOUNDS, isSkippedAfter: true }

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
  readonly #senders = new Map<string, OrderedSender>()
  #sequence = 0
  #turn: Promise<unknown> = Promise.resolve()
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
    const { current, leaving } = await this.#serversInTurn().catch((error: unknown) => {
      // Nobody gets these: a gap in the numbers says so.
      this.#sequence += events.length
      throw error
    })
    const messages = current || leaving.length > 0 ? this.#messages(events) : []
    await Promise.all([
      ...(current ? [this.#send(current, messages, CURRENT)] : []),
      ...leaving.map((server) => this.#sendToLeaving(server, messages)),
    ])
  }

  /** A later call is not answered before an earlier one, whose events precede its own. */
  #serversInTurn(): Promise<RealtimeServers> {
    const servers = this.#turn.then(() => this.#servers())
    this.#turn = servers.catch(() => undefined)
    return servers
  }

  #servers(): Promise<RealtimeServers> {
    const now = this.#deps.clock.ticks()
    if (!this.#lookup || this.#lookup.until <= now) {
      const lookup = { servers: this.#deps.servers(), until: now + LOOKUP_MILLISECONDS }
      this.#lookup = lookup
      // The next one asks again.
      lookup.servers.catch(() => {
        if (this.#lookup === lookup) this.#lookup = undefined
      })
    }
    return this.#lookup.servers
  }

  /** Each with the next number. One that is too long for the server is left out and logged. */
  #messages(events: readonly FeedEvent[]): readonly Message[] {
    const at = this.#deps.clock.now()
    return events.flatMap((event) => {
      this.#sequence += 1
      const data = JSON.stringify(envelopeOf(event, at, { sequence: this.#sequence, run: this.#deps.run }))
      const bytes = Buffer.byteLength(data)
      if (bytes <= PUSHER_LIMITS.messageBytes) return [{ name: event.type, channel: FEED_WIRE_CHANNEL, data }]
      this.#deps.log.warn({ type: event.type, id: event.id, bytes }, 'an event is too large for the feed')
      return []
    })
  }

  async #sendToLeaving(server: RealtimeServer, messages: readonly Message[]): Promise<void> {
    const { clock } = this.#deps
    const place = placeOf(server)
    if ((this.#skipUntil.get(place) ?? 0) > clock.ticks()) return
    if (await this.#send(server, messages, LEAVING)) this.#skipUntil.delete(place)
    else this.#skipUntil.set(place, clock.ticks() + SKIP_LEAVING_MILLISECONDS)
  }

  /** Whether the server took all messages; a failure is a warning in the log (LIM-003). */
  async #send(server: RealtimeServer, messages: readonly Message[], bounds: SendBounds): Promise<boolean> {
    if (messages.length === 0) return true
    const { clock, log, poster } = this.#deps
    const place = placeOf(server)
    const sender = this.#senders.get(place) ?? new OrderedSender(poster, clock)
    this.#senders.set(place, sender)
    try {
      await sender.send(server, messages, bounds)
      return true
    } catch (error) {
      log.warn({ err: error, node: server.nodeName }, 'the WebSocket server did not accept the events')
      return false
    }
  }
}

const placeOf = ({ host, address, port }: RealtimeServer): string => `${host} ${address}:${port}`
