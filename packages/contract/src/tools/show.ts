import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { tool } from './records.ts'

export const toolShow = operation({
  name: 'tool:show',
  group: 'Tools',
  method: 'GET',
  path: '/tools/{tool}',
  access: 'toolNode',
  input: z.strictObject({ tool: id }),
  output: tool,
  unknown: { tool: 'tool.not_found' },
  summary: 'Show a Tool',
})
