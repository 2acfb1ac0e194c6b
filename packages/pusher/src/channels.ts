import type { AppSettings } from '#/app-options.ts'
import { Channel } from '#/channel.ts'
import { channelKind } from '#/channel-name.ts'
import type { Connection } from '#/connection.ts'
import { type Frame, publishedFrame, serverFrame, serverTextFrame } from '#/frame.ts'
import type { Member } from '#/roster.ts'

/** The channels of one application. One exists while it has a subscriber, or an event to replay. */
export class Channels {
  readonly #channels = new Map<string, Channel>()
  readonly #settings: AppSettings

  constructor(settings: AppSettings) {
    this.#settings = settings
  }

  find(name: string): Channel | undefined {
    return this.#channels.get(name)
  }

  occupied(): readonly Channel[] {
    return [...this.#channels.values()].filter(({ subscribers }) => subscribers.size > 0)
  }

  /** Adds the subscriber and confirms it; the other members are notified of a new user. */
  join(connection: Connection, name: string, member?: Member): void {
    const channel = this.#ensure(name)
    if (connection.memberships.has(channel)) {
      // It asks again because the answer was slow: nobody came or went.
      if (connection.memberships.get(channel)?.userId === member?.userId)
        return this.#confirm(connection, channel)
      this.remove(connection, channel)
    }
    const isNews = member !== undefined && channel.roster?.join(member) === true
    if (isNews) channel.send(memberFrame('added', channel, member))
    // A channel that just lost its only subscriber was forgotten.
    this.#channels.set(name, channel)
    channel.subscribers.add(connection)
    connection.memberships.set(channel, member)
    this.#confirm(connection, channel)
  }

  #confirm(connection: Connection, channel: Channel): void {
    connection.peer.send(succeededFrame(channel))
    if (channel.kind.cache) this.#replay(connection, channel)
  }

  leave(connection: Connection, name: string): void {
    const channel = this.#channels.get(name)
    if (channel) this.remove(connection, channel)
  }

  /** Takes a subscriber away; the members left behind hear of a user who is gone for good. */
  remove(connection: Connection, channel: Channel): void {
    if (!channel.subscribers.delete(connection)) return
    const member = connection.memberships.get(channel)
    connection.memberships.delete(channel)
    const isNews = member !== undefined && channel.roster?.leave(member.userId) === true
    if (isNews) channel.send(memberFrame('removed', channel, member))
    if (channel.subscribers.size === 0 && channel.cached === undefined) this.#channels.delete(channel.name)
  }

  publish(name: string, event: string, data: string, except?: Connection): void {
    const channel = channelKind(name).cache ? this.#ensure(name) : this.#channels.get(name)
    if (!channel) return
    const frame = publishedFrame(event, name, data)
    const until = this.#now() + this.#settings.cacheSeconds * 1000
    if (channel.kind.cache) channel.cached = { frame, data, until }
    channel.send(frame, except)
  }

  /** Data and seconds left of the event that a new subscriber of a cache channel would get. */
  cachedOf(name: string): { readonly data: string; readonly ttl: number } | undefined {
    const cached = this.#channels.get(name)?.cached
    if (!cached || cached.until <= this.#now()) return undefined
    return { data: cached.data, ttl: Math.ceil((cached.until - this.#now()) / 1000) }
  }

  /** Drops expired events, and the channels that existed only for them. */
  expire(): void {
    for (const channel of this.#channels.values()) {
      if (channel.cached === undefined || channel.cached.until > this.#now()) continue
      channel.cached = undefined
      if (channel.subscribers.size === 0) this.#channels.delete(channel.name)
    }
  }

  #ensure(name: string): Channel {
    const known = this.#channels.get(name)
    if (known) return known
    const channel = new Channel(name)
    this.#channels.set(name, channel)
    return channel
  }

  #replay(connection: Connection, { name, cached }: Channel): void {
    if (cached && cached.until > this.#now()) connection.peer.send(cached.frame)
    else connection.peer.send(serverFrame('pusher:cache_miss', {}, name))
  }

  #now(): number {
    return this.#settings.clock.ticks()
  }
}

const succeededFrame = ({ name, roster }: Channel): Frame =>
  serverTextFrame('pusher_internal:subscription_succeeded', roster ? roster.listing() : '{}', name)

const memberFrame = (what: 'added' | 'removed', { name }: Channel, { userId, userInfo }: Member): Frame =>
  serverFrame(
    `pusher_internal:member_${what}`,
    { user_id: userId, ...(what === 'added' && userInfo !== undefined ? { user_info: userInfo } : {}) },
    name,
  )
