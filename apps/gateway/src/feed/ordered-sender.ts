import type { RealtimeServer } from '@fleet/fleet'
import { type Clock, within } from '@fleet/kernel'
import { PUSHER_LIMITS } from '@fleet/pusher'
import { batchPath } from './signed-path.ts'
import { NoConnection, type PostBounds, type Poster } from './post.ts'

export interface Message {
  readonly name: string
  readonly channel: string
  readonly data: string
}

export interface SendBounds extends PostBounds {
  /** Whether the server is skipped after a failure: what still waits then is not sent either. */
  readonly isSkippedAfter: boolean
}

interface Pending {
  readonly server: RealtimeServer
  readonly bounds: SendBounds
  readonly since: number
  readonly done: PromiseWithResolvers<void>
  messages: readonly Message[]
}

/**
 * Sends to one server in the order of the calls: the next request begins when the one before has been answered, and takes along
 * what has come meanwhile. Of two states of a record the later one arrives last (decision 0336).
 */
export class OrderedSender {
  readonly #poster: Poster
  readonly #clock: Clock
  #pending: Pending[] = []
  #isSending = false

  constructor(poster: Poster, clock: Clock) {
    this.#poster = poster
    this.#clock = clock
  }

  /** Resolves once the server has all messages. Rejects when it has not taken them within the bounds, which count from here. */
  async send(server: RealtimeServer, messages: readonly Message[], bounds: SendBounds): Promise<void> {
    const done = Promise.withResolvers<void>()
    const pending: Pending = { server, bounds, messages, since: this.#clock.ticks(), done }
    this.#pending.push(pending)
    void this.#sendAll()
    const taken = await within(this.#clock, bounds.totalMilliseconds, done.promise)
    if (taken.inTime) return
    this.#pending = this.#pending.filter((other) => other !== pending)
    throw new Error('no answer in time')
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    while (this.#pending.length > 0) await this.#sendNext()
    this.#isSending = false
  }

  /** One request: as many messages of those in front as it may have. */
  async #sendNext(): Promise<void> {
    const batch: Message[] = []
    const taking: Array<readonly [pending: Pending, messages: number]> = []
    for (const pending of this.#pending) {
      const messages = pending.messages.slice(0, PUSHER_LIMITS.eventsPerBatch - batch.length)
      if (messages.length === 0) break
      batch.push(...messages)
      taking.push([pending, messages.length])
    }
    try {
      await this.#post(
        taking.map(([pending]) => pending),
        JSON.stringify({ batch }),
      )
      for (const [pending, count] of taking) this.#took(pending, count)
    } catch (error) {
      const isAll = error instanceof NoConnection || taking.some(([{ bounds }]) => bounds.isSkippedAfter)
      this.#fail(isAll ? this.#pending : taking.map(([pending]) => pending), error)
    }
  }

  /** Those that came first have waited already and give up on their own: the request lasts as long as any of them may wait. */
  async #post(taking: readonly Pending[], body: string): Promise<void> {
    const server = taking.at(-1)?.server
    if (!server) return
    const now = this.#clock.ticks()
    await this.#poster.post(server, batchPath(server, body, this.#clock), body, {
      connectMilliseconds: Math.max(...taking.map(({ bounds }) => bounds.connectMilliseconds)),
      totalMilliseconds: Math.max(
        ...taking.map(({ bounds, since }) => bounds.totalMilliseconds - (now - since)),
      ),
    })
  }

  #took(pending: Pending, count: number): void {
    pending.messages = pending.messages.slice(count)
    if (pending.messages.length > 0) return
    this.#pending = this.#pending.filter((other) => other !== pending)
    pending.done.resolve()
  }

  #fail(pending: readonly Pending[], error: unknown): void {
    this.#pending = this.#pending.filter((other) => !pending.includes(other))
    for (const { done } of pending) done.reject(error)
  }
}
