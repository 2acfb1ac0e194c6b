import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { ensureService } from '#/managed-services/api.ts'
import { requireFound } from '#/schedules/find.ts'
import { bringDependencies } from '#/schedules/install.ts'
import { holdingSchedule, reaching, requireRunnable } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentSchedule } from '#/schedules/present.ts'
import { updateRow } from '#/schedules/queries.ts'
import { scheduleService } from '#/schedules/service.ts'

/** Enables the timer of an Instance's Schedule; one that is enabled stays and publishes nothing (SCHD-013, SCHD-021). */
export const makeActivate =
  (deps: SchedulesDeps): Handler<'schedule:activate'> =>
  async (request) => {
    const { call } = request
    const seen = await requireFound(deps, request)
    if (seen.owner.type === 'node')
      throw fail('schedule.target_invalid', {
        message: 'Only a Schedule of an Instance can be activated; those of Nodes are always enabled.',
        details: { target_type: 'node' },
      })
    return holdingSchedule(deps, call, seen, async (schedule) => {
      await requireRunnable(deps, schedule)
      const enabled = { ...schedule, desired_timer_state: 'enabled' } as const
      const session = deps.nodes.sessions.overTunnel(call, schedule.node)
      await bringDependencies(deps, session, schedule)
      await reaching(schedule.node, () => ensureService(deps, session, activated(enabled)))
      if (schedule.desired_timer_state === 'enabled') return { data: presentSchedule(schedule) }
      await updateRow(deps.store.db, schedule.id, { desired_timer_state: 'enabled' })
      const data = presentSchedule(enabled)
      call.event('schedule.updated', data)
      return { data }
    })
  }

/** The timer is stored as enabled when it is: one that could not be enabled stays as it was recorded. */
const activated = (schedule: Parameters<typeof scheduleService>[0]) =>
  scheduleService(schedule, 'schedule.activation_failed')
