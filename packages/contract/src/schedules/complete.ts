import * as z from 'zod'
import { operation } from '../operation.ts'
import { runStatuses, scheduleId } from './records.ts'

export const scheduleComplete = operation({
  name: 'schedule:complete',
  group: 'Schedules',
  method: 'POST',
  path: '/schedules/{schedule}/complete',
  access: 'scheduleHost',
  kind: 'empty',
  input: z.strictObject({ schedule: scheduleId, status: z.enum(runStatuses).describe('How the run ended.') }),
  output: z.null(),
  errors: ['schedule.target_invalid'],
  unknown: { schedule: 'schedule.not_found' },
  tool: false,
  summary: 'Report that a run ended; sent by the Node that ran it',
})
