import type { NodeFirewall } from '#/firewall/node-firewall.ts'

export { type FirewallDomain, type FirewallParts, makeFirewall } from './make.ts'
export type { PublicRoutes } from './ports.ts'
export type { NodeFirewall } from './node-firewall.ts'
export { type FirewallProgram, ufw } from './program.ts'

/** What other domains may ask of firewalls. */
export interface Firewall {
  /** Rules that Fleet keeps for itself, as enrolment, roles and removal need them. */
  readonly onNodes: NodeFirewall
  /** Rules that operators made on the Node, whatever their status. */
  countRules(nodeId: number): Promise<number>
}

export { makeFirewallLocators } from '#/firewall/locators.ts'
