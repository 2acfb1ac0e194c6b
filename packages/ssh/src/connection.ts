import type { Socket } from 'node:net'
import type { Clock } from '@fleet/kernel'
import type { Client } from 'ssh2'
import type { OpenClient } from './connect.ts'
import { Slots } from './slots.ts'
import { atMost } from './time-limit.ts'

const CLOSING_MILLISECONDS = 1000

// sshd allows ten sessions per connection by default; commands take eight of them.
const ENDINGS_AT_ONCE = 2

/** One open, authenticated connection. */
export class Connection {
  readonly client: Client
  /** Slots for the commands that end other commands, so that these never wait behind those they should end. */
  readonly endings = new Slots({ all: ENDINGS_AT_ONCE })
  readonly #socket: Socket
  readonly #gone: Promise<void>
  #closed = false

  constructor({ client, socket }: OpenClient, onClosed: () => void) {
    this.client = client
    this.#socket = socket
    this.#gone = new Promise((resolve) => {
      client.once('close', resolve)
    })
    const close = (): void => {
      this.#closed = true
      onClosed()
    }
    // The peer's goodbye comes before the socket is closed; nothing new may start in between.
    client.once('end', close)
    client.once('close', close)
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Says goodbye and waits shortly for the peer to hang up; then hangs up itself. */
  async close(clock: Clock): Promise<void> {
    this.#closed = true
    this.client.end()
    await atMost(clock, CLOSING_MILLISECONDS, this.#gone)
    this.#socket.destroy()
  }
}
