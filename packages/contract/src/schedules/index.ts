import { scheduleActivate } from './activate.ts'
import { scheduleComplete } from './complete.ts'
import { scheduleCreate } from './create.ts'
import { scheduleDestroy } from './destroy.ts'
import { scheduleList } from './list.ts'
import { scheduleLogs } from './logs.ts'
import { scheduleRun } from './run.ts'
import { scheduleShow } from './show.ts'

export * from './records.ts'
export * from './states.ts'
export const scheduleOperations = {
  scheduleList,
  scheduleCreate,
  scheduleShow,
  scheduleRun,
  scheduleActivate,
  scheduleLogs,
  scheduleDestroy,
  scheduleComplete,
}
