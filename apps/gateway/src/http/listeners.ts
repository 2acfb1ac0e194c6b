import type { Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { type Clock, guarded, within } from '@fleet/kernel'
import { normalAddress } from './address.ts'
import { CONNECTION_LIMITS, ConnectionCounts, type ConnectionLimits } from './connection-counts.ts'
import { OpenSockets } from './open-sockets.ts'
import { type App, secureServer, type ServerIdentity } from './server.ts'
import { ServedHosts } from './served-hosts.ts'
import { Sessions } from './sessions.ts'

export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** Sockets that hand their requests to one router. */
export interface Listeners {
  readonly urls: readonly string[]
  /** New connections get this certificate; open ones keep theirs. */
  renew(identity: ServerIdentity): void
  /** Ends every connection. Call it when no request is in progress. */
  close(): Promise<void>
}

export interface ListenDeps {
  readonly clock: Clock
  /** Whether the address belongs to a Node of the fleet; all do when absent. */
  readonly isKnown?: (address: string) => Promise<boolean>
  /** Receives what ended one connection without an answer. */
  readonly onFault?: (error: unknown) => void
  readonly limits?: ConnectionLimits
  /** Names a request that no handler sees; such answers have no id when absent. */
  readonly freshId?: () => string
  /** Host names of requests besides the addresses that are listened on; any when absent. */
  readonly names?: readonly string[]
}

/** How long the last bytes of an answer may take to leave. */
const LAST_BYTES_MILLISECONDS = 200

/** Opens all endpoints or none. Throws the system's error, with the endpoint in its message. */
export async function listen(
  app: App,
  identity: ServerIdentity,
  endpoints: readonly Endpoint[],
  deps: ListenDeps,
): Promise<Listeners> {
  await app.ready()
  const { clock } = deps
  const stopping = new AbortController()
  const sessions = new Sessions(() => clock.ticks())
  const hosts = deps.names && new ServedHosts([...deps.names, ...endpoints.map(({ address }) => address)])
  const counts = new ConnectionCounts(deps.limits ?? CONNECTION_LIMITS)
  const open: Array<{
    readonly server: Http2SecureServer
    readonly sockets: OpenSockets
    readonly url: string
  }> = []
  const close = async (): Promise<void> => {
    stopping.abort()
    await Promise.all(open.splice(0).map((one) => closeServer({ ...one, sessions, clock })))
    await app.close()
  }
  try {
    for (const endpoint of endpoints) {
      const server = secureServer(identity, app.routing, { ...deps, hosts })
      server.maxConnections = (deps.limits ?? CONNECTION_LIMITS).ofServer
      const sockets = trackSockets(server, counts, deps)
      sessions.watch(server)
      open.push({ server, sockets, url: await bind(server, endpoint) })
    }
  } catch (error) {
    await close()
    throw error
  }
  const sweepAll = guarded(
    () => {
      sessions.sweep()
      for (const { sockets } of open) sockets.sweep()
    },
    (error) => deps.onFault?.(error),
  )
  void every(clock, stopping.signal, sweepAll)
  return {
    urls: open.map(({ url }) => url),
    renew: ({ certificate, key }) => {
      for (const { server } of open) server.setSecureContext({ cert: certificate, key })
    },
    close,
  }
}

const SWEEP_MILLISECONDS = 1000

async function every(clock: Clock, signal: AbortSignal, sweep: () => void): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(SWEEP_MILLISECONDS, signal)
    sweep()
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

function trackSockets(server: Http2SecureServer, counts: ConnectionCounts, deps: ListenDeps): OpenSockets {
  const { onFault, clock } = deps
  const sockets = new OpenSockets(() => clock.ticks())
  const keep = (socket: Socket): void => {
    const address = normalAddress(socket.remoteAddress)
    const leave = counts.enter(address)
    if (!leave) return void socket.destroy()
    sockets.add(socket)
    socket.once('close', leave)
    const isNode = (): Promise<boolean> => lookUp(address, deps)
    countStranger(socket, address, counts, isNode).catch((error: unknown) => {
      onFault?.(error)
      socket.destroy()
    })
  }
  // Before the listener of TLS, which reads from the socket at once.
  server.prependListener(
    'connection',
    guarded(keep, (_error, socket) => void socket.destroy()),
  )
  // A client that speaks no TLS, or closes in the middle of it, is no event of ours.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return sockets
}

/** Without the store nobody is known: callers share the room of strangers, and their requests get an answer (decision 0275). */
async function lookUp(address: string, { isKnown, onFault }: ListenDeps): Promise<boolean> {
  try {
    return isKnown === undefined || (await isKnown(address))
  } catch (error) {
    onFault?.(error)
    return false
  }
}

/** A stranger may connect, since some answers are public, but cannot take the room of the Nodes. */
async function countStranger(
  socket: Socket,
  address: string,
  counts: ConnectionCounts,
  isNode: () => Promise<boolean>,
): Promise<void> {
  if ((await isNode()) || socket.destroyed) return
  const leave = counts.enterStranger(address)
  if (leave) socket.once('close', leave)
  else socket.destroy()
}

interface Closing {
  readonly server: Http2SecureServer
  readonly sockets: OpenSockets
  readonly sessions: Sessions
  readonly clock: Clock
}

/** Whoever waits for an answer gets it, as far as it leaves in time. */
async function closeServer({ server, sockets, sessions, clock }: Closing): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // A session sends its answers later than a connection of HTTP/1.1, whose bytes are with the system by then.
  await within(clock, LAST_BYTES_MILLISECONDS, sessions.close())
  sockets.endSoon()
  const { inTime } = await within(clock, LAST_BYTES_MILLISECONDS, closed)
  if (!inTime) sockets.end()
  await closed
}
