import type { LanAccess } from '#/firewall/lan-access.ts'
import type { NodeFirewall } from '#/firewall/node-firewall.ts'

/** What other domains may ask of firewalls. */
export interface Firewall {
  /** Rules that Fleet keeps for itself, as enrolment, roles and removal need them. */
  readonly onNodes: NodeFirewall
  /** Rules between the Routers and members of a Cluster. */
  readonly lan: LanAccess
  /** Rules that operators made on the Node, whatever their status. */
  countRules(nodeId: number): Promise<number>
}
