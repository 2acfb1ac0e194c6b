import type { Store } from '@fleet/store'
import { readLanFacts } from '#/firewall/lan.ts'
import type { ManagedFacts } from '#/firewall/managed/table.ts'
import type { PublicRoutes } from '#/firewall/ports.ts'
import type { GatewayPaths } from '#/firewall/gateway-paths.ts'
import { DEFAULT_HUB_PORT, type Network, PEER_PORT } from '#/network/api.ts'
import type { NodeRecord, Nodes } from '#/nodes/api.ts'

/** What the rules of a Node follow from besides its own record. */
export interface FactsDeps {
  readonly store: Pick<Store, 'db'>
  readonly nodes: Pick<Nodes, 'gateway'>
  readonly network: Pick<Network, 'settings'>
  /** TCP port of the WebSocket server. */
  readonly websocketPort: number
  readonly routes: PublicRoutes
}

/** Reads from the records what the rules of a Node follow from. */
export type ReadFacts = (node: NodeRecord) => Promise<ManagedFacts>

export const makeReadFacts =
  ({ store, nodes, network, websocketPort, routes }: FactsDeps): ReadFacts =>
  async (node) => ({
    tunnelAddress: node.wireguard_ip,
    publicSshPorts: publicSshPorts(node),
    tunnelRange: (await network.settings())?.range,
    hubPort: (await network.settings())?.hubPort ?? DEFAULT_HUB_PORT,
    peerPort: PEER_PORT,
    websocketPort,
    gatewayAddress: (await nodes.gateway())?.wireguard_ip ?? null,
    servesPublicRoutes: await routes.servesPublicRoutes(node.id),
    lan: await readLanFacts(store.db, node),
  })

export const gatewayPaths = (node: NodeRecord): GatewayPaths => ({
  tunnelAddress: node.wireguard_ip,
  sshPort: node.ssh_port,
  publicSshPorts: publicSshPorts(node),
})

/** Where sshd listens: a public port that another machine forwards is none that this firewall sees. */
export const publicSshPorts = ({ ssh_port }: Pick<NodeRecord, 'ssh_port'>): readonly number[] => [ssh_port]
