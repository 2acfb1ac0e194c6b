import type { LocatorsOf } from '#/handler.ts'
import { type FindDeps, findSchedule } from '#/schedules/find.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{schedule}': ScheduleRecord
  }
}

export type ScheduleLocators = LocatorsOf<'{schedule}'>

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const makeScheduleLocators = (deps: FindDeps): ScheduleLocators => ({
  '{schedule}': async (text) => (UUID.test(text) ? findSchedule(deps, text) : undefined),
})
