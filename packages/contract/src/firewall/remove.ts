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
      .describe('If the Node does not answer, remove only the record. The rule stays on the machine.'),
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
  summary: 'Remove an operator firewall rule',
  description:
    'Rules of Fleet itself cannot be removed. Returns the removed rule. `offline` has no effect if the Node answers.',
})
