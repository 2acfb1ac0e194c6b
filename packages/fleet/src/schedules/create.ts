import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { findOwner, holdingOwner, ownerColumns, type RuntimeOwner } from '#/instances/api.ts'
import { isRepeat, otherValues } from '#/repeats.ts'
import { tryCalendar } from '#/schedules/commands/calendar.ts'
import { completeSchedule } from '#/schedules/install.ts'
import { holdingSchedule, reaching, requireAvailable, requireRelease } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentSchedule } from '#/schedules/present.ts'
import { findNamed, insertRow, type NewSchedule } from '#/schedules/queries.ts'
import type { ScheduleRow } from '#/schedules/record.ts'
import { isRemovalWaiting } from '#/schedules/remove-later.ts'
import { compared, requestOrRefuse, type ScheduleRequest } from '#/schedules/rules.ts'
import { serviceNameOf } from '#/schedules/unit.ts'

interface Stored {
  readonly row: ScheduleRow
  readonly isNew: boolean
}

/** Stores a Schedule and installs its timer; an exact repeat answers the stored one (SCHD-010). */
export const makeCreate =
  (deps: SchedulesDeps): Handler<'schedule:create'> =>
  async ({ call, input }) => {
    const request = requestOrRefuse(input)
    const owner = await findOwner(deps, input.target_type, input.target_id)
    if (!owner) throw fail(input.target_type === 'instance' ? 'instance.not_found' : 'node.not_found')
    call.note.target(owner.node.id)
    requireAvailable(owner)
    const stored = await holdingOwner(deps, call, { owner, busy: 'schedule.operation_busy' }, (current) => {
      requireAvailable(current)
      return storedOrNew(deps, call, current, request)
    })
    call.note.subject('schedule', stored.row.id)
    return finish(deps, call, owner, stored)
  }

/** Throws `schedule.retry_conflict`, `schedule.calendar_invalid` and `schedule.target_unavailable`. */
async function storedOrNew(
  deps: SchedulesDeps,
  call: Call,
  owner: RuntimeOwner,
  request: ScheduleRequest,
): Promise<Stored> {
  const { db } = deps.store
  const known = await findNamed(db, owner.type, owner.id, request.name)
  if (known?.status === 'removing') throw await beingRemoved(deps, known)
  if (known) return { row: sameOrRefuse(known, request), isNew: false }
  if (request.start) await requireRelease(deps, owner)
  const session = deps.nodes.sessions.overTunnel(call, owner.node)
  await reaching(owner.node, () => session.ask(tryCalendar, request.calendar))
  const row = await insertRow(db, newRow(deps, owner, request))
  // Another creation of this name came in between.
  return row ? { row, isNew: true } : storedOrNew(deps, call, owner, request)
}

/** `definitionId` is of the definition that it is a copy of. */
export const newRow = (
  { ids, clock }: Pick<SchedulesDeps, 'ids' | 'clock'>,
  owner: RuntimeOwner,
  { start, ...columns }: ScheduleRequest,
  definitionId: string | null = null,
): NewSchedule => ({
  id: ids.uuid(),
  ...ownerColumns(owner.type, owner.id),
  ...columns,
  definition_id: definitionId,
  starts_enabled: start ? 1 : 0,
  desired_timer_state: start ? 'enabled' : 'disabled',
  status: 'provisioning',
  created_at: clock.now().toISOString(),
})

function sameOrRefuse(row: ScheduleRow, request: ScheduleRequest): ScheduleRow {
  const members = compared(row, request)
  if (isRepeat(members)) return row
  throw otherValues('schedule.retry_conflict', members, { schedule_id: row.id, status: row.status })
}

/** To destroy it once more frees no name while its run goes on, which may be for hours. */
async function beingRemoved(
  deps: SchedulesDeps,
  { id, name, status, timeout_seconds }: Pick<ScheduleRow, 'id' | 'name' | 'status' | 'timeout_seconds'>,
): Promise<Error> {
  const rest = (await isRemovalWaiting(deps, id))
    ? `once its run has ended, ${timeout_seconds} s after that began at the latest. Choose another name; or end the run on the Node, as root with systemctl stop ${serviceNameOf(id)}, and finish the removal: \`fleet schedule:destroy ${id}\`.`
    : `but that did not end. Finish it: \`fleet schedule:destroy ${id}\`.`
  return fail('schedule.retry_conflict', {
    message: `The Schedule ${name} is being removed, ${rest}`,
    details: { schedule_id: id, status },
  })
}

/** Resumes a creation that was interrupted or failed; a Schedule that is active is returned unchanged. */
const finish = (deps: SchedulesDeps, call: Call, owner: RuntimeOwner, { row: { id }, isNew }: Stored) =>
  holdingSchedule(deps, call, { id, owner }, async (schedule) => {
    if (schedule.status === 'active') return { data: presentSchedule(schedule), created: false }
    if (schedule.status === 'removing') throw await beingRemoved(deps, schedule)
    requireAvailable(schedule.owner)
    const session = deps.nodes.sessions.overTunnel(call, schedule.node)
    return { data: await completeSchedule(deps, session, schedule), created: isNew }
  })
