import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { toolManager } from './records.ts'

export const toolManagerList = operation({
  name: 'tool:manager:list',
  group: 'Tools',
  method: 'GET',
  path: '/tool-managers',
  access: 'queryNode',
  input: z.strictObject({ node_id: id.describe('Id of the Node.') }),
  output: z.array(toolManager),
  positional: ['node_id'],
  summary: 'List the package managers that a Node supports, and whether they are ready',
  description:
    'A manager that is `uninstalled` is installed on first use on Linux. Managers that the platform does not have are left out. Nothing is read from the Node.',
})
