import type { Handler } from '#/handler.ts'
import { act } from '#/schedules/commands/act.ts'
import { requireFound } from '#/schedules/find.ts'
import { holdingSchedule, reaching, requireRunnable } from '#/schedules/locking.ts'
import type { SchedulesParts } from '#/schedules/parts.ts'
import { presentSchedule } from '#/schedules/present.ts'

/** Starts the service once and does not wait for its end (SCHD-012). */
export const makeRun =
  (parts: SchedulesParts): Handler<'schedule:run'> =>
  async (request) => {
    const { call } = request
    return holdingSchedule(parts, call, await requireFound(parts, request), async (schedule) => {
      await requireRunnable(parts, schedule)
      const { id, node } = schedule
      const session = parts.nodes.sessions.overTunnel(call, node)
      const { root = '' } = parts
      await reaching(node, () => act(session, { root, id, action: 'run', broken: 'schedule.run_failed' }))
      return { data: presentSchedule(schedule) }
    })
  }
