import type { FirewallAction, FirewallProtocol, FirewallStatus, RoleName } from '@fleet/contract'
import { operatorComment } from '#/firewall/comments.ts'
import type { ManagedFacts } from '#/firewall/managed/table.ts'
import { ownRule, type UfwRule } from '#/firewall/ufw/rule.ts'
import type { RuleRecord } from '#/firewall/queries.ts'
import { includesPort } from '#/firewall/gateway-paths.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/** What an operator asks for. */
export interface WantedRule {
  readonly name: string
  readonly action: FirewallAction
  readonly source: string
  readonly protocol: FirewallProtocol
  readonly port: string
}

/**
 * What a request finds in each status. `announced`: its creation was published, so completing it again publishes
 * nothing; `isDesired`: the rule belongs on the machine.
 */
export const RULE_STATES = {
  provisioning: { announced: false, isDesired: true },
  active: { announced: true, isDesired: true },
  failed: { announced: false, isDesired: true },
  removing: { announced: true, isDesired: false },
} as const satisfies Record<FirewallStatus, { readonly announced: boolean; readonly isDesired: boolean }>

/** The state of a row: a removal that failed is one that still runs. */
export function stateOf({
  status,
  failed_step,
}: Pick<RuleRecord, 'status' | 'failed_step'>): (typeof RULE_STATES)[FirewallStatus] {
  const isRemoval = failed_step?.startsWith('remove') ?? false
  return RULE_STATES[isRemoval ? 'removing' : status]
}

export const hasSameValues = (rule: RuleRecord, wanted: WantedRule): boolean =>
  rule.action === wanted.action &&
  rule.source === wanted.source &&
  rule.protocol === wanted.protocol &&
  rule.port === wanted.port

/** A stored row, or a desired rule, in the machine's form. */
export const operatorRule = (
  nodeId: number,
  { name, action, source, protocol, port }: Pick<RuleRecord, keyof WantedRule>,
): UfwRule =>
  ownRule({
    action: action === 'allow' ? 'allow' : 'deny',
    protocol,
    port,
    source,
    comment: operatorComment(nodeId, name),
  })

/** A way of the gateway that a denial would name. */
export type Protected = 'public_ssh' | 'gateway' | 'tunnel'

type TunnelPorts = Pick<ManagedFacts, 'hubPort' | 'peerPort'>

/**
 * What a denial would close, from whatever source; undefined when nothing. The order of rules keeps all of it open in any
 * case: a denial that could never work, or works once the order is changed by hand, is refused (FW-020).
 */
export function closedBy(
  { action, protocol, port }: WantedRule,
  node: NodeRecord,
  { roles, hubPort, peerPort }: { readonly roles: readonly RoleName[] } & TunnelPorts,
): Protected | undefined {
  if (action === 'allow') return undefined
  const tunnelPort = roles.includes('vpn') ? hubPort : peerPort
  if (protocol === 'udp') return includesPort(port, tunnelPort) ? 'tunnel' : undefined
  const { ssh_port, public_ssh_port } = node
  if ([ssh_port, public_ssh_port ?? 22].some((ssh) => includesPort(port, ssh))) return 'public_ssh'
  return roles.includes('gateway') && includesPort(port, 443) ? 'gateway' : undefined
}
