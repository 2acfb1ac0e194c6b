import type { Duplex } from 'node:stream'
import { closeCodes, type CloseReason, type Frame, type Peer } from '@fleet/pusher'
import { WebSocket } from 'ws'
import type { Batch } from './batch.ts'
import type { Counters } from './counters.ts'
import type { Outbox, Sender } from './outbox.ts'
import { encodeTextFrame } from './text-frame.ts'

const { OPEN } = WebSocket

export interface PeerDeps {
  readonly outbox: Outbox
  readonly counters: Counters
  readonly maxQueuedBytes: number
}

/**
 * A client behind a socket. A frame is encoded for its first recipient and shared by all; what one turn brings is written
 * at once, past the library's own sender, whose frames stay whole beside ours because nothing is compressed.
 */
export class SocketPeer implements Peer, Sender {
  readonly socketId: string
  readonly address: string
  /** Ticks of the last sign of life. */
  lastSeen: number
  /** Ticks of the question that it has not answered yet. */
  askedAt: number | undefined
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #deps: PeerDeps
  /** Undefined while nothing waits, which is nearly always. */
  #pending: Batch | undefined

  constructor(
    { socketId, address }: Pick<Peer, 'socketId' | 'address'>,
    sockets: { readonly ws: WebSocket; readonly socket: Duplex },
    deps: PeerDeps,
    now: number,
  ) {
    this.socketId = socketId
    this.address = address
    this.lastSeen = now
    this.#ws = sockets.ws
    this.#socket = sockets.socket
    this.#deps = deps
  }

  send(frame: Frame): void {
    const bytes = (frame.encoded ??= encodeTextFrame(frame.text))
    this.#deps.counters.sent += 1
    this.#pending = this.#pending?.and(bytes) ?? this.#deps.outbox.begin(this, bytes)
  }

  flush(): void {
    const pending = this.#pending
    this.#pending = undefined
    if (!pending || this.#ws.readyState !== OPEN) return
    if (this.#socket.writableLength + pending.length > this.#deps.maxQueuedBytes) return this.drop()
    try {
      this.#socket.write(pending.whole())
    } catch {
      // Nobody awaits the flush of a turn: an exception would end the process.
      this.drop()
    }
  }

  close(reason: CloseReason): void {
    this.flush()
    const { code, message } = closeCodes[reason]
    this.#ws.close(code, message)
  }

  /** Ends it without a close frame: it does not read what it is sent. */
  drop(): void {
    this.#pending = undefined
    this.#deps.counters.dropped += 1
    this.#ws.terminate()
  }
}
