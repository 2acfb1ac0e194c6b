import { randomInt } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Clock, nextTurn } from '@fleet/kernel'
import {
  type App,
  type CloseReason,
  closeCodes,
  type Connection,
  errorFrame,
  SecondRate,
} from '@fleet/pusher'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { admit } from './admission.ts'
import type { Counters } from './counters.ts'
import { checkLiveness, noteLife } from './liveness.ts'
import type { WebsocketLimits } from './options.ts'
import { Outbox } from './outbox.ts'
import { SocketPeer } from './socket-peer.ts'

export interface ClientsParts {
  readonly findApp: (key: string) => App | undefined
  readonly origins: readonly string[]
  readonly limits: WebsocketLimits
  readonly counters: Counters
  readonly clock: Clock
}

interface Client {
  readonly app: App
  readonly peer: SocketPeer
}

/** Everyone who is connected by WebSocket. */
export class Clients {
  readonly #parts: ClientsParts
  readonly #outbox = new Outbox()
  readonly #upgrades: WebSocketServer
  readonly #clients = new Set<Client>()
  readonly #byAddress = new Map<string, number>()
  #closing = false

  constructor(parts: ClientsParts) {
    this.#parts = parts
    this.#upgrades = new WebSocketServer({
      noServer: true,
      // A compressor for every client costs more memory than everything else of it together.
      perMessageDeflate: false,
      maxPayload: parts.limits.maxMessageBytes,
      skipUTF8Validation: false,
      clientTracking: false,
    })
  }

  get size(): number {
    return this.#clients.size
  }

  /** Takes the upgrade of a request. A client that is not let in learns why from the code of the close. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the library has taken the socket nobody else hears its errors.
    socket.on('error', () => socket.destroy())
    const { findApp, origins } = this.#parts
    const address = request.socket.remoteAddress ?? ''
    const admitted = this.#refusal(address) ?? admit(request, findApp, origins)
    this.#upgrades.handleUpgrade(request, socket, head, (ws) => {
      this.#parts.counters.opened += 1
      if (typeof admitted === 'string') refuse(ws, admitted)
      else this.#serve(admitted, ws, socket, address)
    })
  }

  /** One look at every client. */
  checkLiveness(): void {
    const now = this.#parts.clock.ticks()
    const pongMilliseconds = this.#parts.limits.pongSeconds * 1000
    for (const { app, peer } of this.#clients) {
      const activityMilliseconds = app.settings.activityTimeoutSeconds * 1000
      checkLiveness(peer, now, { activityMilliseconds, pongMilliseconds })
    }
  }

  /** Sends all clients away, spread over the time, so that they do not arrive elsewhere at one moment. */
  async drain(seconds: number): Promise<void> {
    this.#closing = true
    const clients = [...this.#clients]
    const slices = Math.min(20, clients.length)
    for (let slice = 0; slice < slices; slice += 1) {
      const from = Math.floor((clients.length * slice) / slices)
      const to = Math.floor((clients.length * (slice + 1)) / slices)
      for (const { peer } of clients.slice(from, to)) peer.close('reconnect')
      await this.#parts.clock.sleep((seconds * 1000) / slices)
    }
    await nextTurn()
    for (const { peer } of this.#clients) peer.drop()
  }

  #refusal(address: string): CloseReason | undefined {
    const { maxConnections, maxConnectionsPerAddress } = this.#parts.limits
    if (this.#closing) return 'reconnect'
    if (this.#clients.size >= maxConnections) return 'overCapacity'
    return (this.#byAddress.get(address) ?? 0) >= maxConnectionsPerAddress ? 'overCapacity' : undefined
  }

  #serve(app: App, ws: WebSocket, socket: Duplex, address: string): void {
    const { clock, counters, limits } = this.#parts
    const parts = { outbox: this.#outbox, counters, maxQueuedBytes: limits.maxQueuedBytes }
    const peer = new SocketPeer(newSocketId(), { ws, socket }, parts, clock.ticks())
    const connection = app.connect(peer)
    // A library error is followed by its close.
    ws.on('error', () => undefined)
    if (!connection) return
    const client = { app, peer }
    this.#clients.add(client)
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1)
    const rate = new SecondRate()
    ws.on('message', (data, isBinary) => {
      const now = clock.ticks()
      counters.received += 1
      noteLife(peer, now)
      if (!rate.take(now, limits.messagesPerSecond)) peer.close('overCapacity')
      else if (isBinary) peer.send(errorFrame('Messages are text.', null))
      else app.receive(connection, textOf(data))
    })
    ws.on('ping', () => noteLife(peer, clock.ticks()))
    ws.on('pong', () => noteLife(peer, clock.ticks()))
    ws.on('close', () => this.#leave(client, connection, address))
  }

  #leave(client: Client, connection: Connection, address: string): void {
    if (!this.#clients.delete(client)) return
    client.app.disconnect(connection)
    const left = (this.#byAddress.get(address) ?? 1) - 1
    if (left > 0) this.#byAddress.set(address, left)
    else this.#byAddress.delete(address)
  }
}

const newSocketId = (): string => `${randomInt(1, 2 ** 47)}.${randomInt(1, 2 ** 47)}`

const textOf = (data: RawData): string =>
  Buffer.isBuffer(data)
    ? data.toString('utf8')
    : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]).toString('utf8')

function refuse(ws: WebSocket, reason: CloseReason): void {
  const { code, message } = closeCodes[reason]
  ws.on('error', () => undefined)
  // Clients of older versions read the message, newer ones the code of the close.
  ws.send(errorFrame(message, code).text)
  ws.close(code, message)
}
