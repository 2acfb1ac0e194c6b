import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { tool } from './records.ts'

export const toolList = operation({
  name: 'tool:list',
  group: 'Tools',
  method: 'GET',
  path: '/tools',
  access: 'queryNode',
  input: z.strictObject({ node_id: id.describe('Id of the Node.') }),
  output: z.array(tool),
  positional: ['node_id'],
  summary: 'List the Tools of a Node, sorted by manager and package',
})
