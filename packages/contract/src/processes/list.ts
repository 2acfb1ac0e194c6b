import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { process, processTargets } from './records.ts'

export const processList = operation({
  name: 'process:list',
  group: 'Processes',
  method: 'GET',
  path: '/processes',
  access: 'peer',
  input: z.strictObject({
    target_type: z.enum(processTargets).optional().describe('Only Processes of Instances, or of Nodes.'),
    target_id: id.optional().describe('Only those of this Instance or Node; needs `target_type`.'),
  }),
  output: z.array(process),
  summary: 'List the Processes that the caller can access, with status and usage, sorted by id',
  description:
    'The status comes from the agent of the Node, or over SSH when the agent is not up to date. Within 30 seconds after a start, stop or restart it is the one that was read then. It is null when no source answers.',
})
