import { fail } from '@fleet/contract'
import type { PublishedLeaf } from '#/certificates/api.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'
import { type RealtimeServer, serverUrl, WEBSOCKET_LABEL } from '#/realtime/server.ts'
import { accountOf, type WebsocketDeps } from '#/realtime/service/deps.ts'
import { SERVER_SCOPE, SERVER_UNIT } from '#/realtime/service/server.ts'

/** Where the server of a Node is, whether or not it runs. Throws `vpn.peer_address_missing` and `node.capability_missing`. */
export async function endpointOf(
  { network, websocketPort: port }: Pick<WebsocketDeps, 'network' | 'websocketPort'>,
  node: NodeRecord,
): Promise<Pick<RealtimeServer, 'address' | 'host' | 'port'>> {
  const { wireguard_ip: address } = node
  if (address === null) throw fail('vpn.peer_address_missing', { details: { node: identityOf(node) } })
  const settings = await network.settings()
  if (!settings) throw fail('node.capability_missing', { details: { capability: 'websocket' } })
  return { address, host: `${WEBSOCKET_LABEL}.${settings.suffix}`, port }
}

export interface ServedRealtime extends RealtimeServer {
  /** Hosts of pages that it admits. */
  readonly origins: readonly string[]
}

/** The same with its credentials, which are made when the role has none yet. */
export async function serverOf(
  deps: Pick<WebsocketDeps, 'network' | 'realtime' | 'websocketPort' | 'websocketOrigins'>,
  node: NodeRecord,
): Promise<ServedRealtime> {
  const endpoint = await endpointOf(deps, node)
  const { host, port } = endpoint
  const app = await deps.realtime.place(node.id, { host, port })
  const { websocketOrigins: origins } = deps
  return { ...endpoint, app, origins, nodeId: node.id, nodeName: node.name, url: serverUrl(endpoint) }
}

/** What the server shows its clients. Read by its account alone; renewed without ending a connection. */
export const leafOf = (
  deps: Pick<WebsocketDeps, 'account'>,
  { host, address }: Pick<RealtimeServer, 'host' | 'address'>,
): PublishedLeaf => ({
  scope: SERVER_SCOPE,
  names: [host],
  addresses: [address],
  owner: accountOf(deps),
  reload: SERVER_UNIT,
})
