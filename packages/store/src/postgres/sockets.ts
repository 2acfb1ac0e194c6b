import { Socket } from 'node:net'
import { systemClock, within } from '@fleet/kernel'

const HANG_UP_MILLISECONDS = 1000

/** The sockets of connections to a server: the driver waits until that hangs up, and one that has fallen silent never does. */
export class Sockets {
  readonly #open = new Set<Socket>()

  /** A new one, for the option `stream` of the driver. */
  readonly make = (): Socket => {
    const socket = new Socket()
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    return socket
  }

  /** Waits a second for the goodbye of the driver. What is open after it keeps no process alive. */
  async end(goodbye: Promise<unknown>): Promise<void> {
    const said = goodbye.catch(() => undefined)
    const { inTime } = await within(systemClock, HANG_UP_MILLISECONDS, said)
    for (const socket of this.#open) inTime ? socket.unref() : socket.destroy()
    await said
  }
}
