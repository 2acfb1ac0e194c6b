import * as z from 'zod'
import { accountName } from '../nodes/records.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { firewallChangeErrors } from './change-errors.ts'

const MAX_ACCOUNTS = 32

export const nodeFirewallCallers = operation({
  name: 'node:firewall:callers',
  group: 'Firewall',
  method: 'PUT',
  path: '/nodes/{node}/firewall-callers',
  access: 'node',
  input: z.strictObject({
    node: id,
    accounts: z
      .array(accountName)
      .max(MAX_ACCOUNTS)
      .transform((names) => [...new Set(names)].toSorted())
      .nullable()
      .describe('Accounts of the machine that may call the gateway besides root; null lifts the limit.'),
  }),
  output: z.strictObject({ node_id: id, accounts: z.array(accountName).nullable() }),
  errors: ['firewall.account_unknown', ...firewallChangeErrors],
  unknown: { node: 'node.not_found' },
  positional: ['node'],
  summary: 'Limit which accounts of a Node may call the gateway',
  description:
    'A rule of the machine’s own firewall rejects connections of other accounts, and of containers, to the HTTPS address of the gateway. Root and the agent of the Node always may. `node:show` has the limit.',
})
