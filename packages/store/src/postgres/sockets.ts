import { systemClock, within } from '@fleet/kernel'
import type { ClientBase } from 'pg'

const HANG_UP_MILLISECONDS = 1000

interface Stream {
  destroy(): void
  unref(): void
}

/** The connections to a server: the driver waits until that hangs up, and one that has fallen silent never does. */
export class Sockets {
  readonly #open = new Set<ClientBase>()

  readonly add = (client: ClientBase): void => {
    this.#open.add(client)
    client.once('end', () => this.#open.delete(client))
  }

  /** Waits a second for the goodbye of the driver. What is open after it keeps no process alive. */
  async end(goodbye: Promise<unknown>): Promise<void> {
    const said = goodbye.catch(() => undefined)
    const { inTime } = await within(systemClock, HANG_UP_MILLISECONDS, said)
    for (const client of this.#open) {
      const stream = streamOf(client)
      if (inTime) stream.unref()
      else stream.destroy()
    }
    await said
  }
}

const streamOf = (client: ClientBase): Stream =>
  (client as unknown as { readonly connection: { readonly stream: Stream } }).connection.stream // The driver declares neither.
