import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { liveFirewall, managedFirewallRule } from './records.ts'

export const nodeFirewallManaged = operation({
  name: 'node:firewall:managed',
  group: 'Firewall',
  method: 'GET',
  path: '/nodes/{node}/managed-firewall-rules',
  access: 'node',
  input: z.strictObject({ node: id }),
  output: z.array(managedFirewallRule),
  unknown: { node: 'node.not_found' },
  summary: 'List the firewall rules that Fleet itself manages on a Node',
  description: 'Sorted in evaluation order. Read from the records; the Node is not contacted.',
})

export const nodeFirewallLive = operation({
  name: 'node:firewall:live',
  group: 'Firewall',
  method: 'GET',
  path: '/nodes/{node}/live-firewall-rules',
  access: 'node',
  input: z.strictObject({ node: id }),
  output: liveFirewall,
  errors: ['firewall.node_unreachable', 'node.command_failed', ...commandErrors],
  unknown: { node: 'node.not_found' },
  summary: 'Show the live firewall of a Node and the rules missing from it',
  description:
    'An IPv4 rule is `exact` if it matches the record, `drift` if it has a comment of Fleet but other values or is not loaded, and `unmanaged` if it does not belong to Fleet.',
})
