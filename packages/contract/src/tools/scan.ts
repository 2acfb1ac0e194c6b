import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { toolInventory } from './records.ts'

export const toolScan = operation({
  name: 'tool:scan',
  group: 'Tools',
  method: 'GET',
  path: '/tool-inventory',
  access: 'queryNode',
  input: z.strictObject({ node_id: id.describe('Id of the Node.') }),
  output: toolInventory,
  errors: [
    'tool.node_inactive',
    'tool.node_unmanaged',
    'node.capability_missing',
    'node.command_failed',
    ...commandErrors,
  ],
  positional: ['node_id'],
  summary: 'Read which packages Homebrew and Vite+ have on a Node, and which could become Tools',
  description:
    'Reads `brew`, `brew-cask` and `vp` as they are now; stores nothing and waits for no lock. A manager that could not be read completely is `incomplete`.',
})
