import type { Handler } from '#/handler.ts'
import { requireFound } from '#/schedules/find.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentSchedule } from '#/schedules/present.ts'

/** SCHD-011 */
export const makeShow =
  (deps: SchedulesDeps): Handler<'schedule:show'> =>
  async (request) => ({ data: presentSchedule(await requireFound(deps, request)) })
