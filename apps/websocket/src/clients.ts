import { randomInt } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Clock, nextTurn } from '@fleet/kernel'
import type { Logger } from 'pino'
import { type App, type CloseReason, closeCodes, errorFrame } from '@fleet/pusher'
import { WebSocketServer } from 'ws'
import { admit } from './admission.ts'
import { Client, type ClientSite, ClientSocket } from './client.ts'
import type { Counters } from './counters.ts'
import { checkLiveness } from './liveness.ts'
import type { WebsocketLimits } from './options.ts'
import { Outbox } from './outbox.ts'
import { type PeerDeps, SocketPeer } from './socket-peer.ts'

export interface ClientsDeps {
  readonly findApp: (key: string) => App | undefined
  readonly origins: readonly string[]
  readonly limits: WebsocketLimits
  readonly counters: Counters
  readonly clock: Clock
  readonly log: Logger
}

/** Everyone who is connected by WebSocket. */
export class Clients {
  readonly #deps: ClientsDeps
  readonly #outbox = new Outbox()
  readonly #upgrades: WebSocketServer
  readonly #site: ClientSite
  readonly #peerDeps: PeerDeps
  readonly #clients = new Set<Client>()
  readonly #byAddress = new Map<string, number>()
  #closing = false

  constructor(deps: ClientsDeps) {
    this.#deps = deps
    const { clock, counters, limits, log } = deps
    const { messagesPerSecond, maxQueuedBytes } = limits
    this.#peerDeps = { outbox: this.#outbox, counters, maxQueuedBytes }
    const onFault = (error: unknown): void => log.error({ err: error }, 'a client was ended by a fault')
    this.#site = { clock, counters, messagesPerSecond, onFault, onGone: (client) => this.#leave(client) }
    this.#upgrades = new WebSocketServer({
      noServer: true,
      WebSocket: ClientSocket,
      // A compressor for every client costs more memory than everything else of it together.
      perMessageDeflate: false,
      maxPayload: deps.limits.maxMessageBytes,
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
    socket.on('error', destroy)
    const { findApp, origins } = this.#deps
    // An IPv4 client of a server that listens on IPv6 too.
    const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    const admitted = this.#refusal(address) ?? admit(request, findApp, origins)
    this.#upgrades.handleUpgrade(request, socket, head, (ws) => {
      // The settings of the server.
      if (!(ws instanceof ClientSocket)) return ws.terminate()
      this.#deps.counters.opened += 1
      if (typeof admitted === 'string') refuse(ws, admitted)
      else this.#serve(admitted, ws, socket, address)
    })
  }

  /** One look at every client. */
  checkLiveness(): void {
    const now = this.#deps.clock.ticks()
    const pongMilliseconds = this.#deps.limits.pongSeconds * 1000
    for (const client of this.#clients)
      client.guard(() => {
        const { app, peer } = client
        const activityMilliseconds = app.settings.activityTimeoutSeconds * 1000
        checkLiveness(peer, now, { activityMilliseconds, pongMilliseconds })
      })
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
      await this.#deps.clock.sleep((seconds * 1000) / slices)
    }
    await nextTurn()
    for (const { peer } of this.#clients) peer.drop()
  }

  #refusal(address: string): CloseReason | undefined {
    const { maxConnections, maxConnectionsPerAddress } = this.#deps.limits
    // Who was sent away comes back at once, and is to stay away until another server listens here.
    if (this.#closing) return 'stopping'
    if (this.#clients.size >= maxConnections) return 'overCapacity'
    return (this.#byAddress.get(address) ?? 0) >= maxConnectionsPerAddress ? 'overCapacity' : undefined
  }

  #serve(app: App, ws: ClientSocket, socket: Duplex, address: string): void {
    const peer = new SocketPeer(
      { socketId: newSocketId(), address },
      { ws, socket },
      this.#peerDeps,
      this.#deps.clock.ticks(),
    )
    const connection = app.connect(peer)
    // A library error is followed by its close.
    ws.on('error', ignore)
    if (!connection) return
    const client = new Client({ app, peer, connection }, address, this.#site)
    this.#clients.add(client)
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1)
    ws.serve(client)
  }

  #leave(client: Client): void {
    if (!this.#clients.delete(client)) return
    client.app.disconnect(client.connection)
    const left = (this.#byAddress.get(client.address) ?? 1) - 1
    if (left > 0) this.#byAddress.set(client.address, left)
    else this.#byAddress.delete(client.address)
  }
}

const newSocketId = (): string => `${randomInt(1, 2 ** 47)}.${randomInt(1, 2 ** 47)}`

function destroy(this: Duplex): void {
  this.destroy()
}

function ignore(): void {
  // The close event reports what follows.
}

function refuse(ws: ClientSocket, reason: CloseReason): void {
  const { code, message } = closeCodes[reason]
  ws.on('error', ignore)
  // Clients of older versions read the message, newer ones the code of the close.
  ws.send(errorFrame(message, code).text)
  ws.close(code, message)
}
