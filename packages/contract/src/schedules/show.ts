import * as z from 'zod'
import { operation } from '../operation.ts'
import { schedule, scheduleId } from './records.ts'

export const scheduleShow = operation({
  name: 'schedule:show',
  group: 'Schedules',
  method: 'GET',
  path: '/schedules/{schedule}',
  access: 'scheduleNode',
  input: z.strictObject({ schedule: scheduleId }),
  output: schedule,
  unknown: { schedule: 'schedule.not_found' },
  summary: 'Show a Schedule with its command and its last run',
})
