import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { nodeIdentity } from './records.ts'

export const nodeAccessRemove = operation({
  name: 'node:access:remove',
  group: 'Nodes',
  method: 'DELETE',
  path: '/nodes/{serving}/access/{consumer}',
  access: 'servingNode',
  input: z.strictObject({
    serving: id.describe('The Node that was acted on.'),
    consumer: id.describe('The Node that loses its grant.'),
  }),
  output: z.strictObject({
    consumer_node: nodeIdentity,
    serving_node: nodeIdentity,
    already_absent: z.boolean(),
    /** True when the caller removed its own access (GRANT-006). */
    self_lockout: z.boolean(),
  }),
  unknown: { serving: 'node.not_found', consumer: 'node.not_found' },
  summary: 'Revoke an access grant',
})
