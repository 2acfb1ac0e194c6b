import type { Handler } from '#/handler.ts'
import { sessionUnlessOffline } from '#/nodes/api.ts'
import { requireFound } from '#/schedules/find.ts'
import { holdingSchedule } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentSchedule } from '#/schedules/present.ts'
import { removeSchedule } from '#/schedules/steps/removal.ts'

/** Disables and removes a Schedule, after a run that has not ended; with `offline` also where its Node does not answer (SCHD-015). */
export const makeDestroy =
  (deps: SchedulesDeps): Handler<'schedule:destroy'> =>
  async (request) => {
    const { call, input } = request
    const seen = await requireFound(deps, request)
    call.note.property('offline', input.offline)
    return holdingSchedule(deps, call, seen, async (schedule) => {
      const session = await sessionUnlessOffline(deps.nodes, call, schedule.node, input.offline)
      const { isGone, retained } = await removeSchedule({ deps, call, schedule, session, endsRun: false })
      const last = { ...schedule, status: 'removing', desired_timer_state: 'disabled' } as const
      return { data: { ...presentSchedule(last), removed: isGone, retained_on_nodes: [...retained] } }
    })
  }
