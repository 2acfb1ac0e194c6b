import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { guarded } from '@fleet/kernel'
import { App } from '@fleet/pusher'
import { answer } from './api.ts'
import { Clients } from './clients.ts'
import { metricsText, newCounters } from './counters.ts'
import { DEFAULT_LIMITS, type TlsIdentity, type WebsocketOptions } from './options.ts'

export interface RunningWebsocket {
  /** `ws://address:port` or `wss://…`, with the port really bound. */
  readonly url: string
  readonly port: number
  /** Connections at this moment. */
  readonly connections: number
  /** Serves new connections with another certificate; those that are open stay. */
  renew(tls: TlsIdentity): void
  /** Sends clients away with words, then ends. Idempotent. */
  stop(): Promise<void>
}

const SWEEP_MILLISECONDS = 1000

/** Starts the server of the fleet's feed. Throws when the address is in use. */
export async function startWebsocket(options: WebsocketOptions): Promise<RunningWebsocket> {
  const { clock, log, address } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const counters = newCounters()
  const apps = options.apps.map((app) => new App(app, clock))
  const [byId, byKey] = [index(apps, 'id'), index(apps, 'key')]
  const origins = options.origins ?? []
  const findApp = (key: string): App | undefined => byKey.get(key)
  const clients = new Clients({ findApp, origins, limits, counters, clock, log })
  const api = {
    findApp: (id: string) => byId.get(id),
    counters,
    maxRequestBytes: limits.maxRequestBytes,
    seconds: () => Math.floor(clock.now().getTime() / 1000),
    metrics: () => metricsText(counters, { connections: clients.size }),
  }
  const server = makeServer(options.tls, {
    request: (request, response) => {
      answer(request, response, api).catch((error: unknown) => {
        log.error({ err: error }, 'a request ended with a fault')
        response.destroy()
      })
    },
    upgrade: guarded(
      (request, socket, head) => clients.accept(request, socket, head),
      (error, _request, socket) => {
        log.error({ err: error }, 'an upgrade ended with a fault')
        socket.destroy()
      },
    ),
  })
  server.listen(options.port, address)
  await once(server, 'listening')
  // A failed accept, as when file descriptors run out, concerns that client alone.
  server.on('error', (error) => log.error({ err: error }, 'a connection could not be accepted'))
  const { port } = server.address() as AddressInfo // It listens on an address and a port.
  const stopping = new AbortController()
  const sweeping = sweep(clients, apps, clock, stopping.signal)
  const url = `${options.tls ? 'wss' : 'ws'}://${address.includes(':') ? `[${address}]` : address}:${port}`
  log.info({ url, apps: apps.length }, 'ready')
  return {
    url,
    port,
    get connections() {
      return clients.size
    },
    renew: ({ certificate, key }) => {
      if ('setSecureContext' in server) server.setSecureContext({ cert: certificate, key })
    },
    stop: async () => {
      if (stopping.signal.aborted) return
      stopping.abort()
      await clients.drain(limits.drainSeconds)
      server.closeAllConnections()
      server.close()
      await sweeping
      log.info('stopped')
    },
  }
}

const index = (apps: readonly App[], by: 'id' | 'key'): ReadonlyMap<string, App> =>
  new Map(apps.map((app) => [app.settings[by], app]))

interface ServerHandlers {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

function makeServer(tls: TlsIdentity | undefined, handlers: ServerHandlers): Server | TlsServer {
  const server = tls
    ? createTlsServer({ cert: tls.certificate, key: tls.key, minVersion: 'TLSv1.2' }, handlers.request)
    : createServer(handlers.request)
  server.on('upgrade', handlers.upgrade)
  // A request that never ends holds a connection, an upgraded one is nobody's request any more.
  Object.assign(server, { headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 75_000 })
  return server
}

async function sweep(
  clients: Clients,
  apps: readonly App[],
  clock: WebsocketOptions['clock'],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(SWEEP_MILLISECONDS, signal)
    if (signal.aborted) return
    clients.checkLiveness()
    for (const app of apps) app.channels.expire()
  }
}
