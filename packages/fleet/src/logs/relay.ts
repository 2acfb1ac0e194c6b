import { chunks, type Clock, within } from '@fleet/kernel'
import type { LogPublisher, LogStreamMessage } from '#/logs/ports.ts'
import type { LogStream } from '#/logs/stream.ts'
import type { LogStreams } from '#/logs/streams.ts'

/** LOGS-019 */
const PACE_MILLISECONDS = 250
/** LOGS-022 */
const RUN_MILLISECONDS = 12_000
const RETRY_MILLISECONDS = 2000
/** Events that the server takes in one request. */
const BATCH = 10

export interface RelayDeps {
  readonly clock: Clock
  readonly publisher: LogPublisher
  /** Nothing that is logged may hold a line. */
  readonly warn: (message: string, cause: unknown) => void
}

/** What one run sends of one stream. */
interface Sending {
  readonly stream: LogStream
  readonly events: readonly LogStreamMessage[]
  sent: number
}
interface Sent {
  readonly sending: Sending
  readonly event: LogStreamMessage
}

/**
 * Carries what agents read to the clients: at once where nothing was sent for 250 ms, otherwise together when that time is
 * over, so that a busy log costs four requests a second and a quiet one no waiting.
 */
export class LogRelay {
  readonly #streams: LogStreams
  readonly #deps: RelayDeps
  #woken = Promise.withResolvers<void>()

  constructor(streams: LogStreams, deps: RelayDeps) {
    this.#streams = streams
    this.#deps = deps
  }

  wake(): void {
    this.#woken.resolve()
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.wake(), { once: true })
    while (!signal.aborted) {
      const now = this.#deps.clock.ticks()
      const pending = this.#streams.pending()
      const due = pending.filter(({ nextAt }) => nextAt <= now)
      if (due.length > 0) await this.#relay(due)
      else await this.#wait(pending, now)
    }
  }

  /** Until the first of them is due, or somebody wakes it. */
  async #wait(pending: readonly LogStream[], now: number): Promise<void> {
    if (pending.length > 0) {
      using timer = this.#deps.clock.timer(Math.min(...pending.map(({ nextAt }) => nextAt)) - now)
      await Promise.race([timer.over, this.#woken.promise])
    } else await this.#woken.promise
    this.#woken = Promise.withResolvers<void>()
  }

  /** One run: what had been reported when it began. */
  async #relay(due: readonly LogStream[]): Promise<void> {
    const { clock, warn } = this.#deps
    const until = clock.ticks() + RUN_MILLISECONDS
    const run = due.map((stream): Sending => ({ stream, events: stream.seal(), sent: 0 }))
    const all = run.flatMap((sending) => sending.events.map((event): Sent => ({ sending, event })))
    try {
      for (const batch of chunks(all, BATCH)) await this.#send(batch, until)
    } catch (error) {
      warn('live logs could not be published', error)
    }
    for (const sending of run) this.#note(sending, clock.ticks())
  }

  async #send(batch: readonly Sent[], until: number): Promise<void> {
    const { clock, publisher } = this.#deps
    const reported = publisher.report(batch.map(({ event }) => event))
    reported.catch(() => undefined)
    if (!(await within(clock, until - clock.ticks(), reported)).inTime)
      throw new Error('the run took too long')
    for (const { sending, event } of batch) {
      sending.sent += 1
      if (event.type === 'log.lines') sending.stream.outbox.delivered()
      else this.#streams.settled(sending.stream)
    }
  }

  #note({ stream, events, sent }: Sending, now: number): void {
    if (sent < events.length) {
      stream.nextAt = now + RETRY_MILLISECONDS
      return this.#streams.failed(stream)
    }
    stream.failures = 0
    stream.nextAt = now + PACE_MILLISECONDS
  }
}
