import * as z from 'zod'
import { operation } from '../operation.ts'
import { filledText, id } from '../params.ts'
import { activity, activityStatuses } from './records.ts'

export const activityList = operation({
  name: 'activity:list',
  group: 'Activities',
  method: 'GET',
  path: '/activities',
  access: 'peer',
  input: z.strictObject({
    limit: z.int().min(1).max(200).default(25).describe('Maximum number of rows.'),
    before_id: id.optional().describe('Only rows older than the row with this id.'),
    request_id: z.guid().optional().describe('Only rows of this request.'),
    status: z.enum(activityStatuses).optional().describe('Only rows with this status.'),
    command: filledText(255).optional().describe('Only rows of this operation, such as `env:sync`.'),
    caller_node_id: id.optional().describe('Only requests that this Node made.'),
    target_node_id: id.optional().describe('Only requests that acted on this Node.'),
  }),
  output: z.array(activity),
  summary: 'List audited requests, newest first',
  description:
    'Contains the rows whose caller or target Node the caller can access; a grant on the gateway Node shows all rows. The list request itself is not included. Use `before_id` for older rows.',
})
