import { fail } from '@fleet/contract'
import * as z from 'zod'
import { findSchedule } from '#/schedules/find.ts'
import { holdingSchedule } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { REMOVE } from '#/schedules/remove-later.ts'
import { removeSchedule } from '#/schedules/steps/removal.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

/** Finishes removals without a request. */
export const removalKind = (deps: SchedulesDeps): WorkKind =>
  workKind({
    name: REMOVE,
    payload: z.strictObject({ id: z.string() }),
    run: async (call, { id }) => {
      const seen = await findSchedule(deps, id)
      if (seen?.status !== 'removing') return
      call.note.subject('schedule', id)
      call.note.target(seen.node.id)
      await holdingSchedule(deps, call, seen, async (schedule) => {
        const session = deps.nodes.sessions.overTunnel(call, schedule.node)
        const { isGone } = await removeSchedule({
          deps,
          call,
          schedule,
          session,
          endsRun: false,
          isRest: true,
        })
        if (!isGone) throw fail('schedule.operation_busy', { details: { schedule_id: id } })
      })
    },
  })
