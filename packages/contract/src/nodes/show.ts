import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { nodeDetail } from './records.ts'

export const nodeShow = operation({
  name: 'node:show',
  group: 'Nodes',
  method: 'GET',
  path: '/nodes/{node}',
  access: 'node',
  input: z.strictObject({ node: id }),
  output: nodeDetail,
  unknown: { node: 'node.not_found' },
  summary: 'Show one Node with its access grants and excluded Projects',
})
