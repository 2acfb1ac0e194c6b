import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import { listedSchedule } from './records.ts'

export const scheduleList = operation({
  name: 'schedule:list',
  group: 'Schedules',
  method: 'GET',
  path: '/schedules',
  access: 'peer',
  input: z.strictObject(none),
  output: z.array(listedSchedule),
  summary: 'List the Schedules that the caller can access, sorted by name, without their commands',
})
