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
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve)
      // Stays attached: an abort during a response is emitted here too, besides to the reader of the body.
      sent.on('error', reject)
      sent.end(body)
    })
    return { status: response.statusCode ?? 0, chunks: response }
  }
  return Object.assign(transport, { [Symbol.dispose]: () => agent.destroy() })
}
