export { makeSchedules, type SchedulesDomain } from '#/schedules/make.ts'
export type { SchedulesDeps } from '#/schedules/deps.ts'
export type { ScheduleRecord } from '#/schedules/record.ts'
