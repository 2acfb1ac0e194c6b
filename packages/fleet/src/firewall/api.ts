export type { Firewall } from '#/firewall/firewall.ts'
export { type FirewallDomain, type FirewallParts, makeFirewall } from './make.ts'
export type { PublicRoutes } from './ports.ts'
export type { NodeFirewall } from './node-firewall.ts'
export { type FirewallProgram, ufw } from './program.ts'

export { makeFirewallLocators } from '#/firewall/locators.ts'
export type { Writing as FirewallWriting } from './commands/write-rules.ts'
export { type FirewallState, readState as readFirewallState, type WriteRefusal } from './ufw/state.ts'
