import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '@fleet/kernel'
import type { Configuration } from './files.ts'

/** AGT-034 */
const CONNECT_MILLISECONDS = 10_000
const TOTAL_MILLISECONDS = 30_000
const ANSWER_MAX_BYTES = 1024 * 1024

/** The gateway did not answer as agreed. `code` is its own code where it refused, else what happened, in one word. */
export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure'
  readonly code: string
  constructor(code: string, cause?: unknown) {
    super(`the gateway: ${code}`, { cause })
    this.code = code
  }
}

export interface Gateway {
  /** `data` of a read below `/api/v1/agent/`. Throws GatewayFailure. */
  get(path: string, signal: AbortSignal): Promise<unknown>
  /** The bare answer of a signature for one of the agent's channels (AGT-004). Throws GatewayFailure. */
  authorize(request: ChannelRequest, signal: AbortSignal): Promise<unknown>
}

export interface RunReports {
  /** Reports that a run of a Schedule ended (SCHD-016). Throws GatewayFailure. */
  complete(schedule: string, status: 'success' | 'error', signal: AbortSignal): Promise<void>
}

export interface ChannelRequest {
  readonly socket_id: string
  readonly channel_name: string
  /** Of this agent. */
  readonly version: string
}

/** Connects to the tunnel address, trusts the fleet's root alone and proves itself with the secret of the Node. */
export function makeGateway(configuration: Configuration, clock: Clock): Gateway & RunReports {
  const send = async (
    question: Question,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> => {
    using limits = new Limits(clock, signal)
    try {
      const answer = await ask(configuration, question, limits)
      if (answer.status === 204 && question.isEmpty) return {}
      return bodyOrRefusal(answer.status, answer.text)
    } catch (error) {
      if (error instanceof GatewayFailure) throw error
      throw new GatewayFailure(limits.exceeded ? 'timeout' : 'unreachable', error)
    }
  }
  return {
    get: async (path, signal) => {
      const body = await send({ path: `agent/${path}` }, signal)
      if (!('data' in body)) throw new GatewayFailure('malformed_answer')
      return body['data']
    },
    authorize: (request, signal) =>
      send({ path: 'agent/broadcasting/auth', body: JSON.stringify(request) }, signal),
    complete: async (schedule, status, signal) => {
      const path = `schedules/${schedule}/complete`
      await send({ path, body: JSON.stringify({ status }), isEmpty: true }, signal)
    },
  }
}

/** A read, or with a body a POST. */
interface Question {
  readonly path: string
  readonly body?: string
  /** Success has no body. */
  readonly isEmpty?: true
}

/** Ends a request that does not connect or answer in time. */
class Limits implements Disposable {
  readonly #controller = new AbortController()
  readonly #connect
  readonly #total
  readonly signal: AbortSignal
  exceeded = false

  constructor(clock: Clock, signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#controller.signal])
    this.#connect = clock.timer(CONNECT_MILLISECONDS)
    this.#total = clock.timer(TOTAL_MILLISECONDS)
    for (const timer of [this.#connect, this.#total]) void timer.over.then(() => this.#exceed())
  }

  connected(): void {
    this.#connect[Symbol.dispose]()
  }
  #exceed(): void {
    this.exceeded = true
    this.#controller.abort()
  }
  [Symbol.dispose](): void {
    this.#connect[Symbol.dispose]()
    this.#total[Symbol.dispose]()
  }
}

interface Answer {
  readonly status: number
  readonly text: string
}

function ask(configuration: Configuration, { path, body }: Question, limits: Limits): Promise<Answer> {
  const { gatewayUrl, gatewayAddress, rootCertificate, secret, localAddress } = configuration
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        method: body === undefined ? 'GET' : 'POST',
        host: gatewayAddress,
        ...(localAddress === undefined ? {} : { localAddress }),
        port: gatewayUrl.port === '' ? 443 : Number(gatewayUrl.port),
        path: `/api/v1/${path}`,
        // An address is no name that TLS could ask for; the certificate is then compared with the address itself.
        servername: isIP(gatewayUrl.hostname) === 0 ? gatewayUrl.hostname : '',
        ca: rootCertificate,
        minVersion: 'TLSv1.2',
        // A kept connection would outlive a gateway that moved, and one request a minute gains nothing by it.
        agent: false,
        headers: {
          host: gatewayUrl.host,
          accept: 'application/json',
          authorization: `Bearer ${secret.reveal()}`,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
        signal: limits.signal,
      },
      (incoming) => {
        textOf(incoming).then((text) => resolve({ status: incoming.statusCode ?? 0, text }), reject)
      },
    )
    outgoing.on('socket', (socket) => {
      const tls = socket as TLSSocket // An https request has no other kind.
      tls.once('secureConnect', () => limits.connected())
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const arriving: AsyncIterable<Buffer> = incoming
  for await (const chunk of arriving) {
    bytes += chunk.length
    if (bytes > ANSWER_MAX_BYTES) throw new GatewayFailure('answer_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function bodyOrRefusal(status: number, text: string): Readonly<Record<string, unknown>> {
  const body = bodyOf(text)
  if (status === 200 && !('error' in body)) return body
  const { code } = isObject(body['error']) ? body['error'] : {}
  // Only a code of the gateway's own form gets into a log.
  if (typeof code === 'string' && /^[a-z0-9_.-]{1,64}$/.test(code)) throw new GatewayFailure(code)
  throw new GatewayFailure('malformed_answer')
}

function bodyOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : {}
  } catch {
    return {}
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
