import { isIP } from 'node:net'
import { type Clock, clockAheadSeconds, clockApart, within } from '@fleet/kernel'
import { PUSHER_LIMITS } from '@fleet/pusher'
import { buildConnector, Pool } from 'undici'

/** One server as a publisher reaches it: its address, and the name that its certificate must have. */
export interface PostTarget {
  readonly address: string
  readonly port: number
  readonly host: string
}

export interface PostBounds {
  /** For a new connection, until TLS is established; a request that waits for a free connection is not counted. */
  readonly connectMilliseconds: number
  /** Until the answer has been read. */
  readonly totalMilliseconds: number
}

/** For the server of the feed, and for one whose clients are moving away (LIM-001, LIM-002, LIM-005). */
export const CURRENT_BOUNDS: PostBounds = { connectMilliseconds: 2000, totalMilliseconds: 5000 }
export const LEAVING_BOUNDS: PostBounds = { connectMilliseconds: 300, totalMilliseconds: 500 }

/** Sends JSON to servers that prove a name of the fleet's authority, over connections that stay open between requests. */
export interface Poster extends Disposable {
  /** Rejects when the server does not answer in time, is not the one it should be, or answers other than 200. */
  post(target: PostTarget, path: string, body: string, bounds: PostBounds): Promise<void>
}

/** No connection came about in time: whoever waits for the same server would wait as long for nothing. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection'
}

/**
 * The server answered, and took nothing. It refuses what is signed by another time than its own; what it says of that is output of a
 * Node, so its clock is read from its answer.
 */
export class PostRefused extends Error {
  override readonly name = 'PostRefused'
  /** How far the clock of the server is ahead, negative where it is behind; undefined where the clocks are not why. */
  readonly clockAheadSeconds: number | undefined
  constructor(status: number, clockAheadSeconds: number | undefined) {
    const apart = clockAheadSeconds === undefined ? '' : `; its clock is ${clockApart(clockAheadSeconds)}`
    super(`the server answered with status ${status}${apart}`)
    this.clockAheadSeconds = clockAheadSeconds
  }
}

/** Above it a request waits for another's answer, so that a burst cannot take all file descriptors. */
const MAX_CONNECTIONS = 64

/** `rootCertificate` is the only trust: the certificates of the system are not consulted (ACC-009). */
export function makePoster(rootCertificate: string, clock: Clock): Poster {
  const pools = new Map<string, Pool>()
  const poolFor = (target: PostTarget, connectMilliseconds: number): Pool => {
    const place = `${target.host} ${target.address} ${target.port} ${connectMilliseconds}`
    const pool = pools.get(place) ?? poolOf(target, rootCertificate, { clock, connectMilliseconds })
    pools.set(place, pool)
    return pool
  }
  const post: Poster['post'] = async (target, path, body, { connectMilliseconds, totalMilliseconds }) => {
    const ending = new AbortController()
    const sending = send(poolFor(target, connectMilliseconds), target, { path, body, signal: ending.signal })
    sending.catch(() => undefined)
    const answered = await within(clock, totalMilliseconds, sending)
    if (!answered.inTime) {
      const late = new Error('no answer in time')
      ending.abort(late)
      throw late
    }
    const { status, date } = answered.value
    if (status === 200) return
    const ahead = clockAheadSeconds(date, clock.now(), { toleratedSeconds: PUSHER_LIMITS.signatureSeconds })
    throw new PostRefused(status, status === 401 ? ahead : undefined)
  }
  const end = (): void => {
    for (const pool of pools.values()) void pool.destroy()
  }
  return { post, [Symbol.dispose]: end }
}

interface Sent {
  readonly path: string
  readonly body: string
  readonly signal: AbortSignal
}

interface Answered {
  readonly status: number
  /** By the clock of the server. */
  readonly date: string | undefined
}

/** The answer once its body has been read. */
async function send(pool: Pool, { host }: PostTarget, { path, body, signal }: Sent): Promise<Answered> {
  const {
    statusCode: status,
    headers,
    body: answer,
  } = await pool.request({
    method: 'POST',
    path,
    headers: { host, 'content-type': 'application/json' },
    body,
    signal,
  })
  await answer.dump()
  return { status, date: headers['date']?.toString() }
}

interface ConnectBound {
  readonly clock: Clock
  readonly connectMilliseconds: number
}

function poolOf({ address, port, host }: PostTarget, ca: string, bound: ConnectBound): Pool {
  // The library's own timers come up to half a second late; they end the socket, the clock ends the waiting.
  const connect = buildConnector({ ca, timeout: bound.connectMilliseconds })
  return new Pool(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`, {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    // The caller's bound counts from the first byte to the last.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      // The connection goes to the address; the name is only proven (ACC-010). That of an address is never asked for.
      const to = { ...options, hostname: address, servername: isIP(host) === 0 ? host : '' }
      connectInTime((done) => connect(to, done), bound, callback)
    },
  })
}

/** Answers once: with the connection, or with an error when there is none in time. */
function connectInTime(
  connect: (done: buildConnector.Callback) => void,
  { clock, connectMilliseconds }: ConnectBound,
  callback: buildConnector.Callback,
): void {
  const timer = clock.timer(connectMilliseconds)
  let isAnswered = false
  const answer: buildConnector.Callback = (...[error, socket]) => {
    if (isAnswered) return void socket?.destroy()
    isAnswered = true
    timer[Symbol.dispose]()
    if (error) callback(error, null)
    else callback(null, socket)
  }
  void timer.over.then(() => answer(new NoConnection('no connection in time'), null))
  connect(answer)
}
