export { makeSchedules, type SchedulesDomain } from '#/schedules/make.ts'
export type { SchedulesParts } from '#/schedules/parts.ts'
export type { ScheduleRecord } from '#/schedules/record.ts'
