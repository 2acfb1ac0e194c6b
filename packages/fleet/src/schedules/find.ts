import { fail } from '@fleet/contract'
import type { HandlerRequest } from '#/handler.ts'
import { type OwnerParts, ownersOf } from '#/instances/api.ts'
import type { SchedulesParts } from '#/schedules/parts.ts'
import { findRow } from '#/schedules/queries.ts'
import { recordOf, type ScheduleRecord, type ScheduleRow } from '#/schedules/record.ts'

export type FindParts = OwnerParts & Pick<SchedulesParts, 'store'>

export async function findSchedule(parts: FindParts, id: string): Promise<ScheduleRecord | undefined> {
  const row = await findRow(parts.store.db, id)
  return row && (await withOwners(parts, [row]))[0]
}

/** Rows with their owners, each of which is read once; without those whose owner was deleted between the reads. */
export async function withOwners(
  parts: OwnerParts,
  rows: readonly ScheduleRow[],
): Promise<readonly ScheduleRecord[]> {
  const ownerOf = ownersOf(parts)
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
  parts: FindParts,
  {
    call,
    input,
    found,
  }: HandlerRequest<{ readonly schedule: string }, { readonly schedule: ScheduleRecord }>,
): Promise<ScheduleRecord> {
  const schedule = found?.schedule ?? (await findSchedule(parts, input.schedule))
  if (!schedule) throw fail('schedule.not_found')
  call.note.subject('schedule', schedule.id)
  call.note.target(schedule.node.id)
  return schedule
}
