import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { activity } from './records.ts'

export const activityShow = operation({
  name: 'activity:show',
  group: 'Activities',
  method: 'GET',
  path: '/activities/{activity}',
  access: 'activityNode',
  input: z.strictObject({ activity: id }),
  output: activity,
  unknown: { activity: 'activity.not_found' },
  summary: 'Show one audited request',
})
