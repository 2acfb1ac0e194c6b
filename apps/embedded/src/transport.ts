import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { Transport } from '@fleet/sdk'

export interface TransportOptions {
  /** PEM of the only authority that is trusted. */
  readonly ca: string
  /** Loopback address to speak from, which names the calling Node. */
  readonly localAddress?: string
}

/** Sends requests over kept connections that trust the given authority alone. */
export function makeTransport({ ca, localAddress }: TransportOptions): Transport & Disposable {
  const agent = new Agent({ keepAlive: true, ca, ...(localAddress === undefined ? {} : { localAddress }) })
  const transport: Transport = async ({ method, url, headers, body, signal }) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = httpsRequest(url, { method, agent, signal, headers: { ...headers, ...length } })
    // An abort in the middle of an answer is told twice; the reader of the body hears it too.
    sent.on('error', () => undefined)
    sent.end(body)
    const [response]: IncomingMessage[] = await once(sent, 'response')
    if (!response) throw new Error('the request ended without an answer')
    return { status: response.statusCode ?? 0, chunks: response }
  }
  return Object.assign(transport, { [Symbol.dispose]: () => agent.destroy() })
}
