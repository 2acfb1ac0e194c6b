import { Agent, request } from 'node:https'
import { isIP } from 'node:net'
import { type Clock, within } from '@fleet/kernel'

/** One server as a publisher reaches it: its address, and the name that its certificate must have. */
export interface PostTarget {
  readonly address: string
  readonly port: number
  readonly host: string
}

export interface PostBounds {
  /** Until the TLS connection stands. */
  readonly connectMilliseconds: number
  /** Until the answer has been read. */
  readonly totalMilliseconds: number
}

/** Sends JSON to servers that prove a name of the fleet's authority, over connections that stay open between requests. */
export interface Poster extends Disposable {
  /** Rejects when the server is not there in time, is not the one it should be, or answers other than 200. */
  post(target: PostTarget, path: string, body: string, bounds: PostBounds): Promise<void>
}

/** `rootCertificate` is the only trust: the certificates of the system are not looked at (ACC-009). */
export function makePoster(rootCertificate: string, clock: Clock): Poster {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const post: Poster['post'] = async (target, path, body, bounds) => {
    const ending = new AbortController()
    const sending = send(agent, { target, path, body, ca: rootCertificate, signal: ending.signal })
    sending.answered.catch(() => undefined)
    try {
      const connected = await within(clock, bounds.connectMilliseconds, sending.connected)
      if (!connected.inTime) throw new Error('no connection in time')
      const answered = await within(clock, bounds.totalMilliseconds, sending.answered)
      if (!answered.inTime) throw new Error('no answer in time')
      if (answered.value !== 200) throw new Error(`the server answered with status ${answered.value}`)
    } finally {
      ending.abort()
    }
  }
  return { post, [Symbol.dispose]: () => agent.destroy() }
}

interface Sending {
  readonly connected: Promise<void>
  /** Status of the answer once its body has been read. */
  readonly answered: Promise<number>
}

interface Sent {
  readonly target: PostTarget
  readonly path: string
  readonly body: string
  readonly ca: string
  readonly signal: AbortSignal
}

function send(agent: Agent, { target, path, body, ca, signal }: Sent): Sending {
  const connected = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<number>()
  const outgoing = request({
    agent,
    method: 'POST',
    // The connection goes to the address; the name is only proven (ACC-010).
    host: target.address,
    port: target.port,
    // The name of an address is never asked for; its certificate names the address itself.
    servername: isIP(target.host) === 0 ? target.host : '',
    path,
    ca,
    signal,
    headers: {
      host: target.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  })
  const fail = (error: unknown): void => {
    connected.reject(error)
    answered.reject(error)
  }
  connected.promise.catch(() => undefined)
  outgoing.on('error', fail)
  outgoing.on('socket', (socket) => {
    if (outgoing.reusedSocket) connected.resolve()
    else socket.once('secureConnect', () => connected.resolve())
  })
  outgoing.on('response', (response) => {
    response.on('error', fail)
    response.on('end', () => answered.resolve(response.statusCode ?? 0))
    response.resume()
  })
  outgoing.end(body)
  return { connected: connected.promise, answered: answered.promise }
}
