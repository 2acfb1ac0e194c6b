import type { FirewallRuleData, LiveFirewallRuleData, ManagedFirewallRuleData } from '@fleet/contract'
import { nameIn } from '#/firewall/comments.ts'
import type { ManagedRule } from '#/firewall/managed/table.ts'
import type { RuleRecord } from '#/firewall/queries.ts'
import type { Family, UfwRule } from '#/firewall/ufw/rule.ts'

export const presentRule = (rule: RuleRecord): FirewallRuleData => ({
  id: rule.id,
  node_id: rule.node_id,
  node: rule.node,
  name: rule.name,
  action: rule.action as FirewallRuleData['action'], // Only words of the contract are ever stored, here and below.
  source: rule.source,
  protocol: rule.protocol as FirewallRuleData['protocol'], // The same holds as for action.
  port: rule.port,
  status: rule.status as FirewallRuleData['status'], // The same holds as for action.
  backend_status: rule.backend_status as FirewallRuleData['backend_status'], // The same holds as for action.
  failed_step: rule.failed_step,
  error_code: rule.error_code,
})

const placeOf = (rule: UfwRule) => ({
  source: rule.source,
  destination: rule.destination,
  port: rule.port,
  protocol: rule.protocol,
  interface: rule.interfaceIn ?? rule.interfaceOut ?? null,
  direction: rule.direction,
})

export const presentManaged = ({ name, role, rule }: ManagedRule): ManagedFirewallRuleData => ({
  name,
  role,
  action: rule.action === 'allow' ? 'allow' : 'deny',
  ...placeOf(rule),
})

export const presentLive = (
  rule: UfwRule,
  family: Family,
  match: LiveFirewallRuleData['match'],
): LiveFirewallRuleData => ({
  name: nameIn(rule.comment),
  comment: rule.comment ?? null,
  action: rule.action,
  ...placeOf(rule),
  family,
  match,
})
