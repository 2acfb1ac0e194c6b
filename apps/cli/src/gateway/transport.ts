import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Transport } from '@fleet/sdk/core'

export interface TransportOptions {
  /** PEM text of the only trusted root; undefined trusts whatever answers, which only the first stage of trust may do. */
  readonly ca: string | undefined
  readonly localAddress?: string | undefined
}

/** One request over one TLS connection. `node:https` loads several times faster than a fetch with sockets of its own. */
export const httpsTransport =
  ({ ca, localAddress }: TransportOptions): Transport =>
  ({ method, url, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const trust = ca === undefined ? { rejectUnauthorized: false } : { ca }
      const outgoing = request(url, {
        method,
        headers: { ...headers, ...lengthOf(body) },
        agent: false,
        signal,
        ...trust,
        ...(localAddress === undefined ? {} : { localAddress }),
      })
      outgoing.once('response', (incoming) =>
        resolve({ status: incoming.statusCode ?? 0, chunks: chunksOf(incoming) }),
      )
      // Stays for errors after the answer too; those reach the reader of the chunks.
      outgoing.on('error', reject)
      outgoing.end(body)
    })

const lengthOf = (body: string | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }

async function* chunksOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const chunk of incoming) yield chunk as Buffer // A message without an encoding is read in buffers.
}
