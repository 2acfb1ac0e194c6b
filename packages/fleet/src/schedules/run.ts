import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { act } from '#/schedules/commands/act.ts'
import { requireFound } from '#/schedules/find.ts'
import { bringDependencies } from '#/schedules/install.ts'
import { holdingSchedule, reaching, requireRunnable } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentSchedule } from '#/schedules/present.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'

/**
 * Starts the service once and does not wait for its end (SCHD-012). A run without its dependencies would fail: one of an Instance that
 * lost them in its sleep is refused with `schedule.target_unavailable`, and they are installed again (decision 0323).
 */
export const makeRun =
  (deps: SchedulesDeps): Handler<'schedule:run'> =>
  async (request) => {
    const { call } = request
    return holdingSchedule(deps, call, await requireFound(deps, request), async (schedule) => {
      await requireRunnable(deps, schedule)
      const { id, node, desired_timer_state: timer } = schedule
      const session = deps.nodes.sessions.overTunnel(call, node)
      // While the timer is enabled they are not removed.
      if (timer === 'disabled' && (await bringDependencies(deps, session, schedule)))
        throw withoutDependencies(schedule)
      const { root = '' } = deps
      await reaching(node, () => act(session, { root, id, action: 'run', broken: 'schedule.run_failed' }))
      return { data: presentSchedule(schedule) }
    })
  }

const withoutDependencies = ({ owner: { type, instance } }: ScheduleRecord) =>
  fail('schedule.target_unavailable', {
    message: `The dependencies of the Instance ${instance?.name ?? ''} were removed while it slept. They are being installed again: repeat the command in a minute.`,
    details: { target_type: type, instance_id: instance?.id },
  })
