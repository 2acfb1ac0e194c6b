import type { Socket } from 'node:net'
import type { Clock } from '@fleet/kernel'
import type { Client } from 'ssh2'
import type { OpenClient } from './connect.ts'
import { Slots } from './slots.ts'
import { atMost } from './time-limit.ts'

const CLOSING_MILLISECONDS = 1000

// sshd allows ten sessions per connection by default; commands take eight of them.
const ENDINGS_AT_ONCE = 2

export interface ConnectionEnds {
  readonly clock: Clock
  /** Nothing new should run over it. */
  readonly unusable: () => void
  readonly closed: () => void
}

/** One open, authenticated connection. */
export class Connection {
  readonly client: Client
  /** Slots for the commands that end other commands, so that these never wait behind those they should end. */
  readonly endings = new Slots({ all: ENDINGS_AT_ONCE })
  readonly #socket: Socket
  readonly #gone: Promise<void>
  readonly #ends: ConnectionEnds
  #users = 0
  #isRetired = false
  #closed = false

  constructor({ client, socket }: OpenClient, ends: ConnectionEnds) {
    this.client = client
    this.#socket = socket
    this.#ends = ends
    this.#gone = new Promise((resolve) => {
      client.once('close', resolve)
    })
    const close = (): void => {
      this.#closed = true
      ends.unusable()
    }
    // The peer's goodbye comes before the socket is closed; nothing new may start in between.
    client.once('end', close)
    client.once('close', close)
    client.once('close', ends.closed)
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Counts a user of it until what is returned is called, once. */
  enter(): () => void {
    this.#users += 1
    return () => {
      this.#users -= 1
      this.#closeUnused()
    }
  }

  /** For good: what runs over it goes on, and the last of its users closes it. */
  retire(): void {
    this.#isRetired = true
    this.#ends.unusable()
    this.#closeUnused()
  }

  #closeUnused(): void {
    if (this.#isRetired && this.#users === 0 && !this.#closed) void this.close()
  }

  /** Says goodbye and waits shortly for the peer to hang up; then hangs up itself. */
  async close(): Promise<void> {
    this.#closed = true
    this.client.end()
    await atMost(this.#ends.clock, CLOSING_MILLISECONDS, this.#gone)
    this.#socket.destroy()
  }
}
