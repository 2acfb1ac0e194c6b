import type { ClientRequest, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Clock } from '@fleet/kernel/clock'
import type { Transport } from '@fleet/sdk/core'

export interface TransportOptions {
  /** PEM text of the only trusted root; undefined trusts whatever answers, which only the first stage of trust may do. */
  readonly ca: string | undefined
  readonly localAddress?: string | undefined
  readonly clock: Clock
}

/** Longest time until a connection is there, TLS included; its request may take minutes. */
const CONNECT_MILLISECONDS = 15_000

/** One request over one TLS connection. `node:https` loads several times faster than a fetch with sockets of its own. */
export const httpsTransport =
  ({ ca, localAddress, clock }: TransportOptions): Transport =>
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
      limitConnecting(outgoing, clock)
      outgoing.end(body)
    })

/** A gateway whose packets are dropped would be waited for as long as for an answer. Nothing was sent until then. */
const limitConnecting = (outgoing: ClientRequest, clock: Clock): void => {
  const timer = clock.timer(CONNECT_MILLISECONDS)
  const seconds = CONNECT_MILLISECONDS / 1000
  void timer.over.then(() => outgoing.destroy(new Error(`no connection within ${seconds} seconds`)))
  const end = (): void => timer[Symbol.dispose]()
  outgoing.once('socket', (socket) => socket.once('secureConnect', end)).once('close', end)
}

const lengthOf = (body: string | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }

async function* chunksOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const chunk of incoming) yield chunk as Buffer // A message without an encoding is read in buffers.
}
