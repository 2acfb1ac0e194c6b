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
    gatewayAddress: (await nodes.gateway())?.wireguard_ip ?? null,
    servesPublicRoutes: await surroundings.servesPublicRoutes(node.id),
  })

export const waysIn = (node: NodeRecord): WaysIn => ({
  tunnelAddress: node.wireguard_ip,
  sshPort: node.ssh_port,
  publicSshPorts: publicSshPorts(node),
})

/** The port in the records and the one of sshd itself, which differ where another machine forwards to it. */
export const publicSshPorts = ({
  public_ssh_port,
  ssh_port,
}: Pick<NodeRecord, 'public_ssh_port' | 'ssh_port'>): readonly number[] => [
  ...new Set([public_ssh_port ?? 22, ssh_port]),
]
