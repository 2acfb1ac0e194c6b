import * as z from 'zod'
import { uuid } from '../params.ts'
import { schedule } from './records.ts'

export const scheduleEvents = {
  'schedule.created': { data: schedule, summary: 'A Schedule was created.' },
  'schedule.updated': {
    data: schedule,
    summary: 'A Schedule was activated, recorded a run, or its removal began.',
  },
  'schedule.deleted': {
    data: z.strictObject({ id: uuid, name: z.string() }),
    summary: 'A Schedule was removed.',
  },
} as const
