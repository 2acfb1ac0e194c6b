import { isIP, connect as connectTcp } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkServerIdentity, connect as connectTls } from 'node:tls'
import { type Clock, within } from '@fleet/kernel'
import { WebSocket } from 'ws'
import type { Connection } from '#/connection.ts'
import { ConnectionFailure, connectFailure } from '#/failure.ts'
import { PusherConnection } from '#/pusher-connection.ts'

/** AGT-034: until the server's greeting, so a server that only takes connections is one that is not there. */
const CONNECT_MILLISECONDS = 10_000
/** Far above what is read: a longer message is ignored, one that would fill the memory ends the connection. */
const WIRE_MAX_BYTES = 1024 * 1024

export interface ConnectionTarget {
  /** `wss://host[:port]` or `ws://…`, as `GET /realtime` returns it. */
  readonly url: string
  readonly key: string
  /** Where the TCP connection goes; without it to the host of the URL, whose name is proven in any case. */
  readonly address?: string | undefined
  /** Address of this machine that it comes from: the server ends the connections of a Node that may no longer follow the feed by it. */
  readonly localAddress?: string | undefined
  /** PEM of the only authority that is trusted; without it those of the system. */
  readonly ca?: string | undefined
}

export interface ConnectionDeps {
  readonly clock: Clock
  /** Ends the connection, at any time. */
  readonly signal: AbortSignal
}

/** Resolves after the server's greeting. Rejects with ConnectionFailure: what the server refuses, 10 s, TLS, no way there. */
export async function openConnection(target: ConnectionTarget, deps: ConnectionDeps): Promise<Connection> {
  if (deps.signal.aborted) throw new ConnectionFailure('closed')
  const ws = webSocket(target)
  const connection = new PusherConnection(ws, deps.clock)
  const end = (): void => connection[Symbol.dispose]()
  deps.signal.addEventListener('abort', end, { once: true })
  void connection.closed.then(() => deps.signal.removeEventListener('abort', end))
  const failed = new Promise<never>((_, reject) => {
    ws.once('error', (error) => reject(connectFailure(error)))
    void connection.closed.then(({ code }) =>
      reject(new ConnectionFailure(code === undefined ? 'closed' : 'refused', { closeCode: code })),
    )
  })
  failed.catch(() => undefined)
  try {
    const greeted = await within(deps.clock, CONNECT_MILLISECONDS, Promise.race([connection.greeted, failed]))
    if (!greeted.inTime) throw new ConnectionFailure('timeout')
    return connection
  } catch (error) {
    end()
    throw deps.signal.aborted ? new ConnectionFailure('closed', { cause: error }) : error
  }
}

function webSocket(target: ConnectionTarget): WebSocket {
  const url = new URL(target.url)
  url.pathname = `/app/${encodeURIComponent(target.key)}`
  url.search = '?protocol=7&client=fleet&version=1'
  return new WebSocket(url, {
    perMessageDeflate: false,
    maxPayload: WIRE_MAX_BYTES,
    createConnection: () => socketTo(url, target),
  })
}

/** The TCP connection goes to the address; the host of the URL is only proven. */
function socketTo(url: URL, { address, localAddress, ca }: ConnectionTarget): Duplex {
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? (url.protocol === 'wss:' ? 443 : 80) : Number(url.port)
  const to = { host: address ?? name, port, ...(localAddress === undefined ? {} : { localAddress }) }
  if (url.protocol !== 'wss:') return connectTcp(to)
  return connectTls({
    ...to,
    ...(ca === undefined ? {} : { ca }),
    minVersion: 'TLSv1.2',
    // An address is no name that TLS could ask for; the certificate is then compared with the address itself.
    servername: isIP(name) === 0 ? name : '',
    checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
  })
}
