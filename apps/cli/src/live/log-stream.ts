import type { Clock } from '@fleet/kernel'
import type { Connection } from '@fleet/pusher-client'
import { isObject, type Json } from '#/print/value.ts'
import { publishedOn } from './envelope.ts'
import { fieldsOf, type GatewayLink } from './gateway-link.ts'

/** What a live log brings, in order. */
export type LogNews =
  /** The whole envelope of `log.lines`. */
  | { readonly kind: 'lines'; readonly event: Json; readonly lines: readonly string[] }
  /** Lines of the log that were not sent, and bytes of it that nobody read. */
  | { readonly kind: 'gap'; readonly dropped: number; readonly skipped: number }
  /** Messages of this stream that did not arrive. */
  | { readonly kind: 'missed'; readonly messages: number }
  /** There is no line to show. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'again'; readonly reason: string; readonly seconds: number }
  | { readonly kind: 'trouble'; readonly text: string }

export interface LogRequest {
  readonly family: 'instance'
  readonly record: unknown
  readonly lines: number
  readonly follow: boolean
}

/** Without `follow`: how long the first lines may take, and how long none may come before they count as all. */
const FIRST_MILLISECONDS = 5000
const QUIET_MILLISECONDS = 1000
/** Reasons that this client finds itself; with any other the gateway has already removed the stream. */
const CLOSED = 'closed'
const LOST = 'connection'
/** How long closing may take. */
const CLOSE_MILLISECONDS = 5000

/**
 * Opens one live log and reports what it brings until it ends; resolves to the reason: a reason of `log.ended`,
 * `connection`, or `closed` when this client has what it wants. Rejects with what opening, joining and renewing reject
 * with.
 */
export async function readLog(
  link: GatewayLink,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  { family, record, lines, follow }: LogRequest,
  report: (news: LogNews) => void,
): Promise<string> {
  using connection = await link.open(signal)
  const wish = { [family]: record, socket_id: connection.socketId, lines }
  const stream = fieldsOf(await link.ask(`${family}:log-stream:open`, wish))
  const { id, channel, auth } = stream
  const reader = new Reader(clock, report)
  const ended = hearEnd(connection, String(channel), reader)
  const named = { [family]: record, stream: id }
  const over = new AbortController()
  let isGone = false
  const until = AbortSignal.any([signal, over.signal])
  try {
    await connection.subscribe(String(channel), { auth: String(auth) })
    const renewing = renew(link, `${family}:log-stream:renew`, named, { clock, signal: until, every: stream })
    const enough = follow ? new Promise<never>(() => undefined) : reader.quiet(until)
    const reason = await Promise.race([ended, enough, renewing])
    isGone = reason !== CLOSED && reason !== LOST
    return reason
  } finally {
    over.abort()
    // Its lease would end it within a minute too. A person who left does not call it off.
    const own = { signal: AbortSignal.timeout(CLOSE_MILLISECONDS) }
    if (!isGone) await link.ask(`${family}:log-stream:close`, named, own).catch(() => undefined)
  }
}

function hearEnd(connection: Connection, channel: string, reader: Reader): Promise<string> {
  const ended = new Promise<string>((resolve) => {
    connection.onMessage((message) => {
      const envelope = publishedOn(channel, message)
      if (!envelope || !isObject(envelope['data'])) return
      if (envelope['type'] === 'log.lines') reader.take(envelope, envelope['data'])
      if (envelope['type'] === 'log.ended') resolve(String(envelope['data']['reason']))
    })
  })
  return Promise.race([ended, connection.closed.then(() => LOST)])
}

interface Renewing {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The answer that opened the stream. */
  readonly every: Json
}

/** The first renewal starts the stream. Never resolves with success; rejects when one is refused. */
async function renew(
  link: GatewayLink,
  operation: string,
  members: Record<string, unknown>,
  { clock, signal, every }: Renewing,
): Promise<never> {
  const seconds = typeof every['renew_seconds'] === 'number' ? every['renew_seconds'] : 20
  while (!signal.aborted) {
    await link.ask(operation, members, { signal })
    await clock.sleep(seconds * 1000, signal)
  }
  return new Promise<never>(() => undefined)
}

class Reader {
  readonly #clock: Clock
  readonly #tell: (news: LogNews) => void
  #sequence = 0
  #heardAt: number | undefined

  constructor(clock: Clock, report: (news: LogNews) => void) {
    this.#clock = clock
    this.#tell = report
  }

  /** A message may come twice after trouble with the server (LOGS-011). */
  take(event: Json, { sequence, lines, dropped, skipped }: Json): void {
    if (typeof sequence !== 'number' || sequence <= this.#sequence || !Array.isArray(lines)) return
    const missed = sequence - this.#sequence - 1
    if (missed > 0) this.#tell({ kind: 'missed', messages: missed })
    this.#sequence = sequence
    this.#heardAt = this.#clock.ticks()
    const gap = { dropped: Number(dropped ?? 0), skipped: Number(skipped ?? 0) }
    if (gap.dropped > 0 || gap.skipped > 0) this.#tell({ kind: 'gap', ...gap })
    this.#tell({ kind: 'lines', event, lines: lines.map(String) })
  }

  /** Resolves once the lines that there are have come. */
  async quiet(signal: AbortSignal): Promise<typeof CLOSED> {
    const end = this.#clock.ticks() + FIRST_MILLISECONDS
    while (!signal.aborted) {
      await this.#clock.sleep(50, signal)
      const now = this.#clock.ticks()
      if (this.#heardAt === undefined ? now >= end : now - this.#heardAt >= QUIET_MILLISECONDS) break
    }
    return CLOSED
  }
}
