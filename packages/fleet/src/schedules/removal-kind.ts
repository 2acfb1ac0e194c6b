import { fail } from '@fleet/contract'
import * as z from 'zod'
import { findSchedule } from '#/schedules/find.ts'
import { holdingSchedule } from '#/schedules/locking.ts'
import type { SchedulesParts } from '#/schedules/parts.ts'
import { REMOVE } from '#/schedules/remove-later.ts'
import { removeSchedule } from '#/schedules/steps/removal.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

/** Finishes removals without a request. */
export const removalKind = (parts: SchedulesParts): WorkKind =>
  workKind({
    name: REMOVE,
    payload: z.strictObject({ id: z.string() }),
    run: async (call, { id }) => {
      const seen = await findSchedule(parts, id)
      if (seen?.status !== 'removing') return
      call.note.subject('schedule', id)
      call.note.target(seen.node.id)
      await holdingSchedule(parts, call, seen, async (schedule) => {
        const session = parts.nodes.sessions.overTunnel(call, schedule.node)
        const { isGone } = await removeSchedule({ parts, call, schedule, session, endsRun: false })
        if (!isGone) throw fail('schedule.operation_busy', { details: { schedule_id: id } })
      })
    },
  })
