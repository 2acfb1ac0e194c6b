import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { firewallRule } from './records.ts'

export const nodeFirewallRemove = operation({
  name: 'node:firewall:remove',
  group: 'Firewall',
  method: 'DELETE',
  path: '/nodes/{node}/firewall-rules/{name}',
  access: 'node',
  input: z.strictObject({
    node: id,
    name: z.string().describe('Name of the rule.'),
    offline: flag
      .default(false)
      .describe('Remove the record of a Node that does not answer; the rule stays on the machine.'),
  }),
  output: firewallRule,
  errors: [
    'firewall.operation_busy',
    'firewall.node_unreachable',
    'firewall.remove_failed',
    'firewall.remove_verify_failed',
    'node.lock_lost',
    ...commandErrors,
  ],
  unknown: { node: 'node.not_found', name: 'firewall.not_found' },
  summary: 'Remove a firewall rule that an operator made',
  description:
    'Rules of Fleet itself cannot be removed. The answer is the rule as it was. With `offline` a Node that answers is treated as without it.',
})
