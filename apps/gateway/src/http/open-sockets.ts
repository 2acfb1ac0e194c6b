import type { Socket } from 'node:net'
import { Pace, READING } from './pace.ts'

/** Every connection of a server, whatever it speaks. None of them may keep what its client does not read. */
export class OpenSockets {
  readonly #ticks: () => number
  readonly #paces = new Map<Socket, Pace>()

  constructor(ticks: () => number) {
    this.#ticks = ticks
  }

  /** Keeps it until it closes. */
  add(socket: Socket): void {
    this.#paces.set(socket, new Pace(this.#ticks(), READING.milliseconds))
    socket.once('close', () => this.#paces.delete(socket))
  }

  /** Ends those that read too slowly. */
  sweep(): void {
    const now = this.#ticks()
    for (const [socket, pace] of this.#paces) {
      const waiting = unsentOf(socket)
      const delivered = socket.bytesWritten - waiting
      if (pace.isTooSlow(now, { isWaiting: waiting > 0, delivered, least: READING.ofConnection }))
        socket.destroy()
    }
  }

  /** Ends each once its last bytes have left. */
  endSoon(): void {
    for (const socket of this.#paces.keys()) socket.destroySoon()
  }

  end(): void {
    for (const socket of this.#paces.keys()) socket.destroy()
  }
}

/** Bytes that the system has not taken yet. TLS writes to the handle, which the public counts of a socket leave out. */
function unsentOf(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { readonly writeQueueSize?: number } | null } // Node's own; absent once it is closed.
  return handle?.writeQueueSize ?? 0
}
