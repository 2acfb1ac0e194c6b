import type { ManagedFacts } from '#/firewall/managed/table.ts'
import type { FirewallSurroundings } from '#/firewall/ports.ts'
import type { WaysIn } from '#/firewall/way-in.ts'
import type { NodeRecord, Nodes } from '#/nodes/api.ts'

/** Reads from the records what the rules of a Node follow from. */
export type ReadFacts = (node: NodeRecord) => Promise<ManagedFacts>

export const makeReadFacts =
  (nodes: Pick<Nodes, 'gateway'>, surroundings: FirewallSurroundings): ReadFacts =>
  async (node) => ({
    tunnelAddress: node.wireguard_ip,
    publicSshPorts: publicSshPorts(node),
    hubPort: await surroundings.hubPort(),
    peerPort: surroundings.peerPort,
    websocketPort: surroundings.websocketPort,
    gatewayAddress: (await nodes.gateway())?.wireguard_ip ?? null,
    servesPublicRoutes: await surroundings.servesPublicRoutes(node.id),
  })

export const waysIn = (node: NodeRecord): WaysIn => ({
  tunnelAddress: node.wireguard_ip,
  sshPort: node.ssh_port,
  publicSshPorts: publicSshPorts(node),
})

/** Where sshd listens: a public port that another machine forwards is none that this firewall sees. */
export const publicSshPorts = ({ ssh_port }: Pick<NodeRecord, 'ssh_port'>): readonly number[] => [ssh_port]
