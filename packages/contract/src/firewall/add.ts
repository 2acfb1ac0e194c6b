import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { firewallChangeErrors } from './change-errors.ts'
import { firewallPort, firewallProtocols, firewallRule, firewallRuleName, firewallSource } from './records.ts'

const input = z.strictObject({
  node: id,
  name: firewallRuleName.describe('Name of the rule, unique on the Node.'),
  port: firewallPort.describe('A port, or a range as `low:high`.'),
  source: firewallSource.default('any').describe('`any`, an IP address or a CIDR network.'),
  protocol: z.enum(firewallProtocols).default('tcp').describe('Protocol of the port.'),
})

const shared = {
  group: 'Firewall',
  method: 'POST',
  access: 'node',
  input,
  output: firewallRule,
  creates: true,
  unknown: { node: 'node.not_found' },
  positional: ['node', 'name', 'port'],
} as const

const addErrors = [
  'firewall.name_taken',
  'firewall.action_conflict',
  'firewall.rule_collision',
  'firewall.backend_inactive',
  ...firewallChangeErrors,
] as const

const ORDER =
  'Among the rules that match a packet, the one with the narrowest source wins, then the one with the fewest ports, then a denial. The order of creation does not matter. Repeating the same request returns 200 with the stored rule, or completes one that failed.'

export const nodeFirewallAllow = operation({
  name: 'node:firewall:allow',
  path: '/nodes/{node}/firewall-rules/allow',
  ...shared,
  errors: addErrors,
  summary: 'Allow traffic to a port of a Node',
  description: ORDER,
})

export const nodeFirewallDeny = operation({
  name: 'node:firewall:deny',
  path: '/nodes/{node}/firewall-rules/deny',
  ...shared,
  errors: ['firewall.public_ssh_deny_forbidden', 'firewall.deny_without_effect', ...addErrors],
  summary: 'Deny traffic to a port of a Node',
  description: `${ORDER} Members of the private network can always reach each other, and a rule cannot deny a port that the gateway needs to reach its Nodes.`,
})
