import type { Handler } from '#/handler.ts'
import { act } from '#/schedules/commands/act.ts'
import { requireFound } from '#/schedules/find.ts'
import { holdingSchedule, reaching, requireRunnable } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentSchedule } from '#/schedules/present.ts'

/** Starts the service once and does not wait for its end (SCHD-012). */
export const makeRun =
  (deps: SchedulesDeps): Handler<'schedule:run'> =>
  async (request) => {
    const { call } = request
    return holdingSchedule(deps, call, await requireFound(deps, request), async (schedule) => {
      await requireRunnable(deps, schedule)
      const { id, node } = schedule
      const session = deps.nodes.sessions.overTunnel(call, node)
      const { root = '' } = deps
      await reaching(node, () => act(session, { root, id, action: 'run', broken: 'schedule.run_failed' }))
      return { data: presentSchedule(schedule) }
    })
  }
