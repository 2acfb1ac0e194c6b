import { Secret } from '@fleet/kernel'
import type { AppCredentials } from '@fleet/pusher'
import type { RoleHolder, RoleHolders } from '#/nodes/api.ts'

/** A WebSocket server of the fleet as the gateway sees it. */
export interface RealtimeServer {
  readonly nodeId: number
  readonly nodeName: string
  /** Where it is, by the tunnel. */
  readonly address: string
  readonly port: number
  /** Name that its certificate is for. */
  readonly host: string
  /** `wss://…` for clients. */
  readonly url: string
  readonly app: AppCredentials & { readonly id: string }
}

export interface RealtimeServers {
  /** The one that clients are sent to; undefined without an active `websocket` role. */
  readonly current: RealtimeServer | undefined
  /** Those that still have clients while the role moves (LIM-004). */
  readonly leaving: readonly RealtimeServer[]
}

/** Name under the fleet's suffix. */
export const WEBSOCKET_LABEL = 'reverb'
export const WEBSOCKET_PORT = 8790

/** What the role keeps: made once, and copied when it moves. */
export const WEBSOCKET_APP_ID = 'fleet'

/** Reads who serves the feed at this moment. */
export async function findServers(holders: RoleHolders): Promise<RealtimeServers> {
  const all = await holders.of('websocket')
  const serversOf = (isWanted: (status: RoleHolder['status']) => boolean): RealtimeServer[] =>
    all.filter(({ status }) => isWanted(status)).flatMap((holder) => serverOf(holder) ?? [])
  const [current] = serversOf((status) => status === 'active')
  return {
    current,
    // A role that is being withdrawn, or whose withdrawal failed, may still serve.
    leaving: serversOf((status) => status === 'removing' || status === 'failed'),
  }
}

/** Undefined for a holder that has not got its credentials yet. */
function serverOf({ node, settings }: RoleHolder): RealtimeServer | undefined {
  const { key, secret, port = WEBSOCKET_PORT, host } = settings
  const address = node.wireguard_ip
  if (typeof key !== 'string' || typeof secret !== 'string' || typeof host !== 'string') return undefined
  if (address === null || typeof port !== 'number') return undefined
  return {
    nodeId: node.id,
    nodeName: node.name,
    address,
    port,
    host,
    url: serverUrl({ host, port }),
    app: { id: WEBSOCKET_APP_ID, key, secret: new Secret(secret) },
  }
}

export const serverUrl = ({ host, port }: Pick<RealtimeServer, 'host' | 'port'>): string =>
  `wss://${host}:${port}`
