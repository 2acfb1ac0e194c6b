import type { RunningGateway } from '@fleet/gateway'
import { systemClock } from '@fleet/kernel'
import { fleetApp, type RunningWebsocket, startWebsocket } from '@fleet/websocket'
import { pino } from 'pino'
import type { Announcement } from './announcement.ts'
import type { Home } from './home.ts'
import { openKept } from './kept-ports.ts'

/** From the gateway's 8443 to 8790, beyond the web servers: fleets on distant ports never meet. */
const PORTS_ABOVE_GATEWAY = 347
const ADDRESS = '127.0.0.1'

export interface FeedOptions {
  readonly home: Home
  readonly gateway: Pick<RunningGateway, 'leaf' | 'placeRealtime'>
  readonly gatewayPort: number
  /** Node of the gateway, which has the role `websocket`. */
  readonly nodeId: number
}

export interface RunningFeed extends AsyncDisposable {
  readonly announced: Announcement['websocket']
}

/** Starts the WebSocket server of the embedded fleet and gives the gateway its address. */
export async function startFeed({ home, gateway, gatewayPort, nodeId }: FeedOptions): Promise<RunningFeed> {
  const first = gatewayPort + PORTS_ABOVE_GATEWAY
  const running: { server?: RunningWebsocket } = {}
  const folder = home.in('websocket', 'tls')
  const tls = await gateway.leaf(['localhost', 'reverb.fleet'], [ADDRESS], folder, (leaf) =>
    running.server?.renew(leaf),
  )
  const app = await gateway.placeRealtime(nodeId, { host: ADDRESS, port: first })
  const kept = {
    file: home.in('ports.json'),
    service: 'websocket',
    first,
    mayMove: true,
  } as const
  const { port, opened } = await openKept(kept, (at) =>
    startWebsocket({
      address: ADDRESS,
      port: at,
      tls,
      apps: [fleetApp(app)],
      origins: ['localhost', ADDRESS, 'gateway.fleet'],
      limits: { drainSeconds: 0 },
      clock: systemClock,
      log: pino({ level: 'silent' }),
    }),
  )
  running.server = opened
  await gateway.placeRealtime(nodeId, { host: ADDRESS, port })
  return {
    announced: { url: opened.url, key: app.key },
    [Symbol.asyncDispose]: () => opened.stop(),
  }
}
