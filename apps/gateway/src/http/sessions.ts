import { Pace, READING } from './pace.ts'
import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'

/** Limits in milliseconds. What a client sends besides requests, such as pings, prolongs none of them. */
export interface SessionLimits {
  /** Until the first request of a session. */
  readonly firstRequest: number
  /** From the end of a request until the next one. */
  readonly betweenRequests: number
  /** For which a client may read nothing of an answer that waits for it. */
  readonly unreadAnswer: number
}

export const SESSION_LIMITS: SessionLimits = {
  firstRequest: 15_000,
  betweenRequests: 75_000,
  unreadAnswer: 60_000,
}

interface OpenStream {
  /** Bytes of the answer that had not left at the last check. */
  waiting: number
  /** Ticks since when so many have waited. */
  since: number
}

interface OpenSession {
  readonly streams: Map<ServerHttp2Stream, OpenStream>
  readonly pace: Pace
  hadRequest: boolean
  /** Ticks since when no request is open. */
  idleSince: number
}

/** Every session of HTTP/2, none of which may occupy the gateway without using it. */
export class Sessions {
  readonly #limits: SessionLimits
  readonly #ticks: () => number
  readonly #open = new Map<ServerHttp2Session, OpenSession>()

  constructor(ticks: () => number, limits: SessionLimits = SESSION_LIMITS) {
    this.#ticks = ticks
    this.#limits = limits
  }

  watch(server: Http2SecureServer): void {
    server.on('session', (session) => this.#enter(session))
  }

  /** Ends what is beyond its limit. One walk over all sessions does it, so a session costs no timer. */
  sweep(): void {
    const now = this.#ticks()
    for (const [session, open] of this.#open) {
      if (this.#isIdle(open, now) || this.#isUnread(open, now) || isSlow(session, open, now))
        session.destroy()
    }
  }

  /** Takes no more requests, and resolves once each session has sent the answers to those that it has. */
  async close(): Promise<void> {
    const closing = [...this.#open.keys()].map((session) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      session.once('close', () => resolve())
      session.close()
      return promise
    })
    await Promise.all(closing)
  }

  #enter(session: ServerHttp2Session): void {
    const now = this.#ticks()
    const pace = new Pace(now, READING.milliseconds)
    const open: OpenSession = { streams: new Map(), pace, hadRequest: false, idleSince: now }
    this.#open.set(session, open)
    session.on('stream', (stream) => {
      open.hadRequest = true
      open.streams.set(stream, { waiting: 0, since: this.#ticks() })
      stream.once('close', () => {
        open.streams.delete(stream)
        open.idleSince = this.#ticks()
      })
    })
    session.once('close', () => this.#open.delete(session))
  }

  #isIdle({ streams, hadRequest, idleSince }: OpenSession, now: number): boolean {
    const limit = hadRequest ? this.#limits.betweenRequests : this.#limits.firstRequest
    return streams.size === 0 && now - idleSince >= limit
  }

  #isUnread({ streams }: OpenSession, now: number): boolean {
    let isUnread = false
    for (const [stream, open] of streams) {
      const waiting = stream.bufferSize
      // A sent response ends its stream, unless the client keeps sending a body that nobody reads.
      const isBetween = waiting === 0 && !stream.writableFinished
      // Less means that the client reads; more, that it does not keep up and may still do so.
      if (isBetween || waiting < open.waiting) open.since = now
      open.waiting = waiting
      isUnread ||= now - open.since >= this.#limits.unreadAnswer
    }
    return isUnread
  }
}

/** A client that reads a few bytes now and then keeps its answers as well as one that reads nothing. */
function isSlow(session: ServerHttp2Session, { streams, pace }: OpenSession, now: number): boolean {
  const { socket } = session as { socket?: { readonly bytesWritten: number } } // Gone while a session ends, whatever its type says.
  if (!socket) return false
  const waiting = [...streams.keys()].filter((stream) => stream.bufferSize > 0).length
  const least = Math.max(READING.ofConnection, waiting * READING.ofAnswer)
  return pace.isTooSlow(now, { isWaiting: waiting > 0, delivered: socket.bytesWritten, least })
}
