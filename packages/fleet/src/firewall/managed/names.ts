import { managedComment } from '#/firewall/comments.ts'

/**
 * Every rule that Fleet may need on some Node, in file order: what keeps members away from a service comes before what
 * lets them in, and all of it before anything that an operator or a stranger wrote (FW-027, FW-030).
 */
export const managedNames = [
  'metrics-grafana-gateway',
  'metrics-grafana-isolation',
  'wireguard-members',
  'public-ssh-recovery',
  'gateway-https',
  'websocket-tls',
  'vpn-hub',
  'vpn-dns',
  'vpn-forward',
  'ingress-http',
  'ingress-https',
  'router-lan-workload',
  'router-lan-members',
] as const
export type ManagedName = (typeof managedNames)[number]

export const MANAGED_ORDER: readonly string[] = managedNames.map(managedComment)

/** Names that operators may not give their rules, whether or not the Node has the rule now (FW-015). */
export const isManagedName = (name: string): boolean => managedNames.some((managed) => managed === name)
