import { type Clock, nextTurn } from '@fleet/kernel'
import type { Connection } from '@fleet/pusher-client'
import type { Gateway } from '../gateway.ts'
import { LogQueue } from './queue.ts'
import { Rate } from './rate.ts'
import { type ReadSource, SourceUnavailable } from './source.ts'
import { askStreams, type WantedStream } from './stream-list.ts'

/** AGT-037 */
const LIST_AGAIN_MILLISECONDS = 15_000
const WITHOUT_LIST_MILLISECONDS = 60_000
/** LOGS-019 */
const PACE_MILLISECONDS = 250
/** LOGS-017 */
const STREAM_RATE = { perSecond: 32 * 1024, burst: 256 * 1024 }
const NODE_BYTES_PER_SECOND = 256 * 1024
/** The server takes 100 client events a second from a connection, and all others must pass too. */
const MESSAGE_RATE = { perSecond: 50, burst: 20 }
/** What the network has not taken yet; above it the lines wait here, where they are bounded. */
const BUFFERED_MAX_BYTES = 128 * 1024

export interface LogStreamsDeps {
  readonly gateway: Gateway
  readonly connection: Connection
  /** `presence-node-logs.{id}` */
  readonly channel: string
  readonly clock: Clock
  readonly reader: (stream: WantedStream) => ReadSource
  /** One line for the journal. */
  readonly say: (line: string) => void
}

interface Running {
  readonly id: string
  readonly queue: LogQueue
  readonly rate: Rate
  readonly stop: AbortController
  /** Its end was reported; it stays until the gateway removes it from its list, or it would start again. */
  ended: boolean
}

/** The streams that the gateway wants, read and sent within their rates. */
export class LogStreams {
  readonly #deps: LogStreamsDeps
  readonly #signal: AbortSignal
  readonly #streams = new Map<string, Running>()
  readonly #nodeRate = new Rate(NODE_BYTES_PER_SECOND, NODE_BYTES_PER_SECOND)
  readonly #messageRate = new Rate(MESSAGE_RATE.perSecond, MESSAGE_RATE.burst)
  #wake = Promise.withResolvers<void>()
  #listedAt: number
  #asking = false
  #askAgain = false
  #sending = false
  #early = false
  #turn = 0

  constructor(deps: LogStreamsDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#signal = signal
    this.#listedAt = deps.clock.ticks()
  }

  /** Until the signal aborts; asks for the list at once. */
  async run(): Promise<void> {
    const { clock } = this.#deps
    const waking = new Promise<void>((resolve) => this.#signal.addEventListener('abort', () => resolve()))
    this.changed()
    while (!this.#signal.aborted) {
      // Without a stream there is nothing to do until a notice comes.
      if (this.#streams.size === 0) await Promise.race([this.#wake.promise, waking])
      // A gateway that accepts a request and says nothing must not make the end wait for it.
      await clock.sleep(Math.min(LIST_AGAIN_MILLISECONDS, this.#withoutListLeft), this.#signal)
      if (this.#signal.aborted) break
      if (this.#withoutListLeft <= 0) this.#forget()
      else if (this.#streams.size > 0) this.changed()
    }
    for (const stream of this.#streams.values()) stream.stop.abort()
  }

  /** Milliseconds until streams end that are on no list. */
  get #withoutListLeft(): number {
    return this.#listedAt + WITHOUT_LIST_MILLISECONDS - this.#deps.clock.ticks()
  }

  /** The gateway says that its list is another one. */
  changed(): void {
    this.#askAgain = true
    if (!this.#asking) void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#asking = true
    while (this.#askAgain && !this.#signal.aborted) {
      this.#askAgain = false
      const list = await askStreams(this.#deps.gateway, this.#signal).catch(() => undefined)
      if (this.#signal.aborted) break
      if (list) this.#take(list)
    }
    this.#asking = false
  }

  #take(list: readonly WantedStream[]): void {
    this.#listedAt = this.#deps.clock.ticks()
    const wanted = new Set(list.map(({ id }) => id))
    for (const [id, stream] of this.#streams) {
      if (wanted.has(id)) continue
      stream.stop.abort()
      this.#streams.delete(id)
    }
    for (const one of list) if (!this.#streams.has(one.id)) this.#begin(one)
  }

  /** Nobody says any more who may see these lines. */
  #forget(): void {
    for (const stream of this.#streams.values()) this.#end(stream, 'list_unavailable')
    this.#streams.clear()
  }

  #begin(wanted: WantedStream): void {
    const stop = new AbortController()
    const queue = new LogQueue(wanted.lines, () => this.#sendEarly())
    const { perSecond, burst } = STREAM_RATE
    const stream = { id: wanted.id, queue, rate: new Rate(perSecond, burst), stop, ended: false }
    this.#streams.set(wanted.id, stream)
    if (this.#streams.size === 1) {
      this.#wake.resolve()
      this.#wake = Promise.withResolvers()
    }
    void this.#read(stream, this.#deps.reader(wanted))
    if (!this.#sending) void this.#send()
  }

  async #read(stream: Running, read: ReadSource): Promise<void> {
    try {
      await read(stream.queue, stream.stop.signal)
    } catch (error) {
      if (stream.stop.signal.aborted) return
      // What was read before goes first, as far as it may.
      this.#sendAll()
      if (!(error instanceof SourceUnavailable)) this.#deps.say('a log could not be read to its end')
      this.#end(stream, 'source_unavailable')
    }
  }

  #end(stream: Running, reason: 'source_unavailable' | 'list_unavailable'): void {
    if (stream.ended) return
    stream.ended = true
    stream.stop.abort()
    this.#deps.connection.trigger(this.#deps.channel, 'client-log-end', { stream: stream.id, reason })
  }

  async #send(): Promise<void> {
    this.#sending = true
    while (this.#streams.size > 0 && !this.#signal.aborted) {
      await this.#deps.clock.sleep(PACE_MILLISECONDS, this.#signal)
      if (!this.#signal.aborted) this.#sendAll()
    }
    this.#sending = false
  }

  /** First lines do not wait for the pace. */
  #sendEarly(): void {
    if (this.#early) return
    this.#early = true
    void nextTurn().then(() => {
      this.#early = false
      if (!this.#signal.aborted) this.#sendAll()
    })
  }

  /** One message of each stream in turn, so that none waits for another; who came last begins the next time. */
  #sendAll(): void {
    const { clock, connection, channel } = this.#deps
    const now = clock.ticks()
    const node = { left: () => this.#nodeRate.left(now), take: (bytes: number) => this.#nodeRate.take(bytes) }
    const running = [...this.#streams.values()].filter(({ ended }) => !ended)
    this.#turn += 1
    const begin = this.#turn % Math.max(1, running.length)
    let waiting = [...running.slice(begin), ...running.slice(0, begin)]
    while (waiting.length > 0) {
      waiting = waiting.filter(({ id, queue, rate }) => {
        if (this.#messageRate.left(now) < 1 || connection.buffered > BUFFERED_MAX_BYTES) return false
        const own = { left: () => rate.left(now), take: (bytes: number) => rate.take(bytes) }
        const message = queue.next([own, node])
        if (!message) return false
        this.#messageRate.take(1)
        connection.trigger(channel, 'client-log', { stream: id, ...message })
        return true
      })
    }
  }
}
