import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { nodeIdentity } from './records.ts'

export const nodeAccessAdd = operation({
  name: 'node:access:add',
  group: 'Nodes',
  method: 'PUT',
  path: '/nodes/{serving}/access/{consumer}',
  access: 'servingNode',
  input: z.strictObject({
    serving: id.describe('The Node that is acted on.'),
    consumer: id.describe('The Node that may act.'),
  }),
  output: z.strictObject({
    consumer_node: nodeIdentity,
    serving_node: nodeIdentity,
    already_exists: z.boolean(),
  }),
  unknown: { serving: 'node.not_found', consumer: 'node.not_found' },
  summary: 'Grant one Node access to another',
  description:
    'The consumer can then act on the serving Node through the API. Network access does not change.',
})
