import type { Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { type Clock, within } from '@fleet/kernel'
import { type App, secureServer, type ServerIdentity } from './server.ts'

export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** Sockets that hand their requests to one router. */
export interface Listeners {
  readonly urls: readonly string[]
  /** New connections get this certificate; open ones keep theirs. */
  renew(identity: ServerIdentity): void
  /** Ends every connection. Call it when nothing is in hand any more. */
  close(): Promise<void>
}

/** How long the last bytes of an answer may take to leave. */
const LAST_BYTES_MILLISECONDS = 200

/** Opens all endpoints or none. Throws the system's error, with the endpoint in its message. */
export async function listen(
  app: App,
  identity: ServerIdentity,
  endpoints: readonly Endpoint[],
  clock: Clock,
  /** Receives what ended one connection without an answer. */
  onFault?: (error: unknown) => void,
): Promise<Listeners> {
  await app.ready()
  const open: Array<{
    readonly server: Http2SecureServer
    readonly sockets: Set<Socket>
    readonly url: string
  }> = []
  const close = async (): Promise<void> => {
    await Promise.all(open.splice(0).map(({ server, sockets }) => closeServer(server, sockets, clock)))
    await app.close()
  }
  try {
    for (const endpoint of endpoints) {
      const server = secureServer(identity, app.routing, onFault)
      const sockets = trackSockets(server)
      open.push({ server, sockets, url: await bind(server, endpoint) })
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    urls: open.map(({ url }) => url),
    renew: ({ certificate, key }) => {
      for (const { server } of open) server.setSecureContext({ cert: certificate, key })
    },
    close,
  }
}

function bind(server: Http2SecureServer, { address, port }: Endpoint): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`cannot listen on ${address} port ${port}: ${cause.message}`, { cause })),
    )
    server.listen(port, address, () => {
      const bound = (server.address() as AddressInfo).port // A TCP server has this form of address.
      resolve(`https://${address.includes(':') ? `[${address}]` : address}:${bound}`)
    })
  })
}

function trackSockets(server: Http2SecureServer): Set<Socket> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', keep)
  // A client that speaks no TLS, or closes in the middle of it, is no event of ours.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return sockets
}

async function closeServer(
  server: Http2SecureServer,
  sockets: ReadonlySet<Socket>,
  clock: Clock,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  for (const socket of sockets) socket.destroySoon()
  const { inTime } = await within(clock, LAST_BYTES_MILLISECONDS, closed)
  if (!inTime) for (const socket of sockets) socket.destroy()
  await closed
}
