import type { Clock } from '@fleet/kernel'
import { type AppOptions, type AppSettings, appSettings } from '#/app-options.ts'
import type { AppState } from '#/app-state.ts'
import { channelKind, isUserChannel, userOfChannel } from '#/channel-name.ts'
import { Channels } from '#/channels.ts'
import { relayClientEvent } from '#/client-events.ts'
import { readClientMessage } from '#/client-message.ts'
import { closeCodes, type CloseReason, errorCodes } from '#/close-codes.ts'
import { Connection } from '#/connection.ts'
import { errorFrame, pongFrame, publishedFrame, serverFrame } from '#/frame.ts'
import { PUSHER_LIMITS } from '#/limits.ts'
import type { Peer } from '#/peer.ts'
import { signIn } from '#/signin.ts'
import { subscribe } from '#/subscribe.ts'
import { Users } from '#/users.ts'

/** Whoever connects subscribes within moments. */
const IDLE_MILLISECONDS = 30_000

/** An event of the server, for channels and users. */
export interface ServerEvent {
  readonly name: string
  /** The text that subscribers get as data. */
  readonly data: string
  readonly channels: readonly string[]
  /** The connection that caused it and knows already. */
  readonly exceptSocketId?: string | undefined
}

/** One application: who is connected, who listens to what, and everything that protocol 7 says about it. No sockets. */
export class App implements AppState {
  readonly settings: AppSettings
  readonly channels: Channels
  readonly users = new Users()
  readonly #connections = new Map<string, Connection>()
  /** Channel → every name under which it is heard. */
  readonly #namesOf: ReadonlyMap<string, readonly string[]>

  constructor(options: AppOptions, clock: Clock) {
    this.settings = appSettings(options, clock)
    this.#namesOf = namesByChannel(this.settings.privateAliases)
    this.channels = new Channels(this.settings)
  }

  /** Greets a client. Undefined when there is no capacity for it, or no application: it was told so and closed. */
  connect(peer: Peer): Connection | undefined {
    const { enabled, maxConnections, activityTimeoutSeconds } = this.settings
    const refusal = enabled ? undefined : 'appDisabled'
    const reason = refusal ?? (this.#connections.size >= maxConnections ? 'overQuota' : undefined)
    if (reason) {
      closeWithError(peer, reason)
      return undefined
    }
    const connection = new Connection(peer, this.settings.clock.ticks())
    this.#connections.set(peer.socketId, connection)
    const greeting = { socket_id: peer.socketId, activity_timeout: activityTimeoutSeconds }
    peer.send(serverFrame('pusher:connection_established', greeting))
    return connection
  }

  /** Takes one text message. Whatever it holds, nothing is thrown and nobody else is touched by it. */
  receive(connection: Connection, text: string): void {
    const { peer } = connection
    // A client that was sent away may still talk until its socket is gone.
    if (!this.#connections.has(peer.socketId)) return
    if (Buffer.byteLength(text) > PUSHER_LIMITS.messageBytes)
      return peer.send(
        errorFrame(
          `A message may have at most ${PUSHER_LIMITS.messageBytes} bytes.`,
          errorCodes.clientEventRejected,
        ),
      )
    const message = readClientMessage(text)
    switch (message.kind) {
      case 'ping':
        return peer.send(pongFrame())
      case 'pong':
        return undefined
      case 'subscribe':
        return subscribe(this, connection, message)
      case 'unsubscribe':
        return this.channels.leave(connection, message.channel)
      case 'signin':
        return signIn(this, connection, message)
      case 'client-event':
        return relayClientEvent(this, connection, message)
      case 'malformed':
        return peer.send(errorFrame(message.why, null))
    }
  }

  /** Forgets a client that is gone; the channels it was on learn it. Safe to call twice. */
  disconnect(connection: Connection): void {
    if (!this.#connections.delete(connection.peer.socketId)) return
    for (const channel of connection.memberships.keys()) this.channels.remove(connection, channel)
    this.users.leave(connection)
  }

  publish({ name, data, channels, exceptSocketId }: ServerEvent): void {
    const except = exceptSocketId === undefined ? undefined : this.#connections.get(exceptSocketId)
    for (const channel of channels.flatMap((one) => this.#namesOf.get(one) ?? one)) {
      if (isUserChannel(channel))
        this.users.send(userOfChannel(channel), publishedFrame(name, channel, data), except)
      else this.channels.publish(channel, name, data, except)
    }
  }

  /** Tells it why, once. */
  end(connection: Connection, reason: CloseReason): void {
    if (!this.#connections.has(connection.peer.socketId)) return
    closeWithError(connection.peer, reason)
    this.disconnect(connection)
  }

  /** Ends every connection of a user who signed in. Membership of a presence channel is no sign-in, as on Pusher's service. */
  terminate(userId: string): void {
    for (const connection of this.#connections.values())
      if (connection.user?.id === userId) this.end(connection, 'terminated')
  }

  /**
   * Ends the connections from these addresses that are on a channel for which access is needed, and those that have long been on no
   * channel that was signed for them: they may have kept the signature of one.
   */
  revoke(addresses: ReadonlySet<string>): void {
    const now = this.settings.clock.ticks()
    for (const connection of this.#connections.values())
      if (addresses.has(connection.peer.address) && this.#isBarred(connection, now - IDLE_MILLISECONDS))
        this.end(connection, 'revoked')
  }

  #isBarred({ memberships, since }: Connection, idleSince: number): boolean {
    const { needsAccess } = this.settings
    const channels = [...memberships]
    if (channels.some(([{ name }, member]) => needsAccess(name, member?.userId))) return true
    return since <= idleSince && channels.every(([{ name }]) => channelKind(name).access === 'public')
  }

  connections(): IterableIterator<Connection> {
    return this.#connections.values()
  }

  get connectionCount(): number {
    return this.#connections.size
  }
}

/** The code of the close says the same, but some client libraries never see it. */
function closeWithError(peer: Peer, reason: CloseReason): void {
  const { code, message } = closeCodes[reason]
  peer.send(errorFrame(message, code))
  peer.close(reason)
}

/** The canonical name first, then its aliases in their order. */
function namesByChannel(aliases: AppSettings['privateAliases']): ReadonlyMap<string, readonly string[]> {
  const byChannel = Map.groupBy(Object.keys(aliases), (alias) => aliases[alias] ?? alias)
  return new Map([...byChannel].map(([channel, names]) => [channel, [channel, ...names]]))
}
