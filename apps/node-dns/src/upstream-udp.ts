import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type Clock, guarded } from '@fleet/kernel'
import type { Endpoint } from './endpoint.ts'
import { answers, type Query, withId } from './message.ts'

const PATIENCE_MILLISECONDS = 5000
const SWEEP_MILLISECONDS = 250
/** So many questions may wait for the servers outside: in all, and of one requester. */
const MAX_WAITING = 2000
const MAX_WAITING_OF_ONE = 500
const IDS = 65_536

interface Waiting {
  readonly query: Query
  readonly requester: string
  readonly until: number
  readonly settle: (answer: Buffer | undefined) => void
}

/**
 * Questions on their way over one connected UDP socket. The kernel drops what comes from elsewhere; of the rest only the
 * answer to the question under the random id that it was sent with counts.
 */
export class UdpUpstream implements Disposable {
  readonly #waiting = new Map<number, Waiting>()
  readonly #ofOne = new Map<string, number>()
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #closing = new AbortController()

  private constructor(socket: Socket, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    const receive = (message: Buffer): void => this.#receive(message)
    // What cannot be read answers nothing.
    socket.on(
      'message',
      guarded(receive, () => undefined),
    )
    // The server refuses: nobody needs to wait for the time to pass.
    socket.on('error', () => this.#settleAll())
    void this.#sweep()
  }

  static async connect({ address, port }: Endpoint, clock: Clock): Promise<UdpUpstream> {
    const socket = createSocket('udp4')
    socket.connect(port, address)
    await once(socket, 'connect')
    return new UdpUpstream(socket, clock)
  }

  /** The answer under the id of the query; undefined when none came in time, or too many wait already. */
  ask(query: Query, requester: string): Promise<Buffer | undefined> {
    const own = this.#ofOne.get(requester) ?? 0
    if (this.#waiting.size >= MAX_WAITING || own >= MAX_WAITING_OF_ONE) return Promise.resolve(undefined)
    const id = this.#freeId()
    this.#ofOne.set(requester, own + 1)
    return new Promise((settle) => {
      const until = this.#clock.ticks() + PATIENCE_MILLISECONDS
      this.#waiting.set(id, { query, requester, until, settle })
      this.#socket.send(withId(query.message, id))
    })
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
    this.#settleAll()
    this.#socket.close()
  }

  #receive(message: Buffer): void {
    const id = message.length < 2 ? undefined : message.readUInt16BE()
    const waiting = id === undefined ? undefined : this.#waiting.get(id)
    if (id === undefined || !waiting || !answers(message, id, waiting.query)) return
    this.#settle(id, waiting, withId(message, waiting.query.id))
  }

  #settle(id: number, { requester, settle }: Waiting, answer: Buffer | undefined): void {
    this.#waiting.delete(id)
    const left = (this.#ofOne.get(requester) ?? 1) - 1
    if (left > 0) this.#ofOne.set(requester, left)
    else this.#ofOne.delete(requester)
    settle(answer)
  }

  #settleAll(): void {
    for (const [id, waiting] of this.#waiting) this.#settle(id, waiting, undefined)
  }

  /** One pass for all instead of a timer each: they are kept in the order of their ends. */
  async #sweep(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#clock.sleep(SWEEP_MILLISECONDS, this.#closing.signal)
      for (const [id, waiting] of this.#waiting) {
        if (waiting.until > this.#clock.ticks()) break
        this.#settle(id, waiting, undefined)
      }
    }
  }

  #freeId(): number {
    for (;;) {
      const id = randomInt(IDS)
      if (!this.#waiting.has(id)) return id
    }
  }
}
