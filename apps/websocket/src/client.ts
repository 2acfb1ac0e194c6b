import type { Clock } from '@fleet/kernel'
import { type App, type Connection, errorFrame, SecondRate } from '@fleet/pusher'
import { type RawData, WebSocket } from 'ws'
import type { Counters } from './counters.ts'
import { noteLife } from './liveness.ts'
import type { SocketPeer } from './socket-peer.ts'

/** What all clients of a server share. */
export interface ClientSite {
  readonly clock: Clock
  readonly counters: Counters
  readonly messagesPerSecond: number
  /** Receives what the handling of a client threw; the client's connection has been ended then. */
  readonly onFault: (error: unknown) => void
  /** Called once, when the connection is over. */
  readonly onGone: (client: Client) => void
}

/** One connected client. Its socket has the same listeners as every other: thousands of closures would be memory. */
export class Client {
  readonly app: App
  readonly peer: SocketPeer
  readonly connection: Connection
  readonly address: string
  readonly #site: ClientSite
  readonly #rate = new SecondRate()

  constructor(
    {
      app,
      peer,
      connection,
    }: { readonly app: App; readonly peer: SocketPeer; readonly connection: Connection },
    address: string,
    site: ClientSite,
  ) {
    this.app = app
    this.peer = peer
    this.connection = connection
    this.address = address
    this.#site = site
  }

  receive(data: RawData, isBinary: boolean): void {
    const { clock, counters, messagesPerSecond } = this.#site
    const now = clock.ticks()
    counters.received += 1
    noteLife(this.peer, now)
    if (!this.#rate.take(now, messagesPerSecond)) this.app.end(this.connection, 'tooManyMessages')
    else if (isBinary) this.peer.send(errorFrame('Messages must be text.', null))
    else this.app.receive(this.connection, textOf(data))
  }

  seen(): void {
    noteLife(this.peer, this.#site.clock.ticks())
  }

  /** The closing has begun, by whichever side: the members of its channels learn it now, not once the socket is gone. */
  left(): void {
    this.app.disconnect(this.connection)
  }

  gone(): void {
    this.#site.onGone(this)
  }

  /** Handles something of this client. An exception ends its connection and reaches nobody else's. */
  guard(handle: () => void): void {
    try {
      handle()
    } catch (error) {
      this.#site.onFault(error)
      this.peer.drop()
    }
  }
}

/** The library's socket with the client behind it. */
export class ClientSocket extends WebSocket {
  client: Client | undefined

  /** The library calls this itself to answer a close of the other side. */
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason)
    const { client } = this
    client?.guard(() => client.left())
  }

  /** From now on what arrives is the client's. */
  serve(client: Client): void {
    this.client = client
    this.on('message', onMessage)
    this.on('ping', onSign)
    this.on('pong', onSign)
    this.on('close', onClose)
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  const client = clientOf(this)
  client?.guard(() => client.receive(data, isBinary))
}
function onSign(this: WebSocket): void {
  clientOf(this)?.seen()
}
function onClose(this: WebSocket): void {
  const client = clientOf(this)
  client?.guard(() => client.gone())
}

const clientOf = (socket: WebSocket): Client | undefined =>
  socket instanceof ClientSocket ? socket.client : undefined

const textOf = (data: RawData): string =>
  Buffer.isBuffer(data)
    ? data.toString('utf8')
    : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]).toString('utf8')
