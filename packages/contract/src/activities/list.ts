import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { activity, activityStatuses } from './records.ts'

export const activityList = operation({
  name: 'activity:list',
  group: 'Activities',
  method: 'GET',
  path: '/activities',
  access: 'peer',
  input: z.strictObject({
    limit: z.int().min(1).max(200).default(25),
    before_id: id.optional(),
    request_id: z.uuid().optional(),
    status: z.enum(activityStatuses).optional(),
    command: z.string().min(1).max(255).optional(),
    caller_node_id: id.optional(),
    target_node_id: id.optional(),
  }),
  output: z.array(activity),
  summary: 'List audited requests, newest first',
  description:
    'Holds rows whose caller or target Node the caller may address; a grant on the gateway Node shows all. The list request itself is left out. `before_id` pages backwards.',
})
