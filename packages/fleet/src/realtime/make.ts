import { Secret } from '@fleet/kernel'
import { type AppCredentials, channelAuth } from '@fleet/pusher'
import type { HandlersOf } from '#/handler.ts'
import type { Nodes, RoleHolders } from '#/nodes/api.ts'
import { makeAuthorize } from '#/realtime/authorize.ts'
import { newRealtimeSettings } from '#/realtime/credentials.ts'
import type { AgentRealtime } from '#/realtime/for-agents.ts'
import { findServers, type RealtimeServers, WEBSOCKET_APP_ID } from '#/realtime/server.ts'
import { makeRealtimeShow } from '#/realtime/show.ts'

export interface RealtimeDomain {
  readonly handlers: HandlersOf<'realtime:show' | 'broadcasting:authorize' | 'broadcasting:show'>
  /** Who serves the feed at this moment; for whoever publishes on it. */
  servers(): Promise<RealtimeServers>
  /** Addresses of Nodes that may not listen, whatever was signed for them earlier (ACC-005, decision 0337). */
  barredAddresses(): Promise<readonly string[]>
  readonly forAgents: AgentRealtime
  /** Where the server of a Node with the role is; its credentials are made at the first time and stay. */
  place(
    nodeId: number,
    at: { readonly host: string; readonly port: number },
  ): Promise<AppCredentials & { readonly id: string }>
}

export interface RealtimeDeps {
  readonly holders: RoleHolders
  readonly nodes: Pick<Nodes, 'identity' | 'barredAddresses'>
}

/** Where the feed is and who may listen to it. Publishing is the gateway's. */
export function makeRealtime({ holders, nodes }: RealtimeDeps): RealtimeDomain {
  const servers = (): Promise<RealtimeServers> => findServers(holders)
  return {
    handlers: {
      'realtime:show': makeRealtimeShow(servers),
      'broadcasting:authorize': makeAuthorize(servers, nodes),
      'broadcasting:show': makeAuthorize(servers, nodes),
    },
    servers,
    barredAddresses: () => nodes.barredAddresses(),
    place: async (nodeId, at) => {
      const { key, secret, host, port } = await holders.ensureSettings(
        nodeId,
        'websocket',
        newRealtimeSettings(at.host, at.port),
      )
      if (host !== at.host || port !== at.port) await holders.changeSettings(nodeId, 'websocket', at)
      return { id: WEBSOCKET_APP_ID, key: String(key), secret: new Secret(String(secret)) }
    },
    forAgents: {
      service: async () => {
        const { current } = await servers()
        if (!current) return undefined
        const { url, address, app } = current
        return {
          url,
          address,
          key: app.key,
          sign: (socketId, channel, member) => {
            const channel_data = JSON.stringify(member)
            return { auth: channelAuth(app, socketId, channel, channel_data), channel_data }
          },
        }
      },
    },
  }
}
