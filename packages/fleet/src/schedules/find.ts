import { fail } from '@fleet/contract'
import type { HandlerRequest } from '#/handler.ts'
import { type OwnerDeps, ownersOf } from '#/instances/api.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { findRow } from '#/schedules/queries.ts'
import { recordOf, type ScheduleRecord, type ScheduleRow } from '#/schedules/record.ts'

export type FindDeps = OwnerDeps & Pick<SchedulesDeps, 'store'>

export async function findSchedule(deps: FindDeps, id: string): Promise<ScheduleRecord | undefined> {
  const row = await findRow(deps.store.db, id)
  return row && (await withOwners(deps, [row]))[0]
}

/** Rows with their owners, each of which is read once; without those whose owner was deleted between the reads. */
export async function withOwners(
  deps: OwnerDeps,
  rows: readonly ScheduleRow[],
): Promise<readonly ScheduleRecord[]> {
  const ownerOf = ownersOf(deps)
  const found = await Promise.all(
    rows.map(async (row) => {
      const owner = await ownerOf(row)
      return owner && recordOf(row, owner)
    }),
  )
  return found.filter((schedule) => schedule !== undefined)
}

/** The Schedule of the path, as it was before any lock. Throws `schedule.not_found`. */
export async function requireFound(
  deps: FindDeps,
  {
    call,
    input,
    found,
  }: HandlerRequest<{ readonly schedule: string }, { readonly schedule: ScheduleRecord }>,
): Promise<ScheduleRecord> {
  const schedule = found?.schedule ?? (await findSchedule(deps, input.schedule))
  if (!schedule) throw fail('schedule.not_found')
  call.note.subject('schedule', schedule.id)
  call.note.target(schedule.node.id)
  return schedule
}
