import type { Duplex } from 'node:stream'
import { closeCodes, type CloseReason, type Frame, type Peer } from '@fleet/pusher'
import type { WebSocket } from 'ws'
import type { Counters } from './counters.ts'
import { Joined } from './joined.ts'
import type { Outbox, Sender } from './outbox.ts'
import { encodeTextFrame } from './text-frame.ts'

export interface PeerParts {
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
  /** Ticks of the last sign of life. */
  lastSeen: number
  /** Ticks of the question that it has not answered yet. */
  askedAt: number | undefined
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #parts: PeerParts
  /** Undefined while nothing waits, which is nearly always. */
  #pending: Buffer[] | undefined
  #pendingBytes = 0

  constructor(
    socketId: string,
    sockets: { readonly ws: WebSocket; readonly socket: Duplex },
    parts: PeerParts,
    now: number,
  ) {
    this.socketId = socketId
    this.lastSeen = now
    this.#ws = sockets.ws
    this.#socket = sockets.socket
    this.#parts = parts
  }

  send(frame: Frame): void {
    const bytes = (frame.encoded ??= encodeTextFrame(frame.text))
    this.#parts.counters.sent += 1
    this.#pendingBytes += bytes.length
    if (this.#pending) return void this.#pending.push(bytes)
    this.#pending = [bytes]
    this.#parts.outbox.add(this)
  }

  flush(joined: Joined): void {
    const pending = this.#pending ?? []
    const [only, second] = pending
    if (!only || this.#ws.readyState !== this.#ws.OPEN) return this.#forget()
    if (this.#socket.writableLength + this.#pendingBytes > this.#parts.maxQueuedBytes) return this.drop()
    this.#forget()
    this.#socket.write(second ? joined.of(pending) : only)
  }

  close(reason: CloseReason): void {
    this.flush(new Joined())
    const { code, message } = closeCodes[reason]
    this.#ws.close(code, message)
  }

  /** Ends it without a word: it does not read what it is sent. */
  drop(): void {
    this.#forget()
    this.#parts.counters.dropped += 1
    this.#ws.terminate()
  }

  #forget(): void {
    this.#pending = undefined
    this.#pendingBytes = 0
  }
}
