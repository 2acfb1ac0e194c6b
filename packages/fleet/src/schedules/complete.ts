import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { nodeDetail } from '#/nodes/api.ts'
import { requireFound } from '#/schedules/find.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentSchedule } from '#/schedules/present.ts'
import { updateRow } from '#/schedules/queries.ts'
import { recordOf } from '#/schedules/record.ts'
import { addRemoval } from '#/schedules/remove-later.ts'

/** The service still has to end after its report. */
const ENDED_SECONDS = 2

/** Records how a run ended, with the time at which the report came; from the Node that runs it alone (SCHD-016, SCHD-017). */
export const makeComplete =
  (deps: SchedulesDeps): Handler<'schedule:complete'> =>
  async (request) => {
    const { call, input } = request
    const { id, node, owner } = await requireFound(deps, request)
    if (call.caller?.id !== node.id)
      throw fail('schedule.target_invalid', {
        message: 'Only the Node that runs the Schedule may report its runs.',
        details: nodeDetail(node),
      })
    const row = await deps.store.transaction(async (tx) => {
      const last_run_at = deps.clock.now().toISOString()
      const changed = await updateRow(tx, id, { last_run_at, last_run_status: input.status })
      if (changed?.status === 'removing') await addRemoval(deps, changed, { db: tx, seconds: ENDED_SECONDS })
      return changed
    })
    if (!row) throw fail('schedule.not_found')
    call.event('schedule.updated', presentSchedule(recordOf(row, owner)))
    return { data: null }
  }
