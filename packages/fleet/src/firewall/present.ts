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
  action: rule.action,
  source: rule.source,
  protocol: rule.protocol,
  port: rule.port,
  status: rule.status,
  backend_status: rule.backend_status,
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
