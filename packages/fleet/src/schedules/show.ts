import type { Handler } from '#/handler.ts'
import { requireFound } from '#/schedules/find.ts'
import type { SchedulesParts } from '#/schedules/parts.ts'
import { presentSchedule } from '#/schedules/present.ts'

/** SCHD-011 */
export const makeShow =
  (parts: SchedulesParts): Handler<'schedule:show'> =>
  async (request) => ({ data: presentSchedule(await requireFound(parts, request)) })
