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
  summary: 'List the firewall rules that Fleet itself wants on a Node',
  description: 'In the order in which they are tried. Answered from the records, without a word to the Node.',
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
  summary: 'Show the firewall of a Node as it is, and what is missing there',
  description:
    'Each IPv4 rule is `exact` when it is as Fleet wants it, `drift` when it carries a comment of Fleet and says something else or is not in force, and `unmanaged` when it is nothing of Fleet.',
})
