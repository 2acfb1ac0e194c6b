import type { Database } from '@fleet/store'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import type { ScheduleRow } from '#/schedules/record.ts'

export const REMOVE = 'schedule:remove'
/** After the end of its command a run still has to report. */
const END_SECONDS = 60

type Deps = Pick<SchedulesDeps, 'store' | 'clock'>

/**
 * The rest of a removal that waits for a run: at the report of its end, and if that is lost, when the run has ended by its
 * timeout.
 */
export async function addRemoval(
  { store, clock }: Deps,
  { id, timeout_seconds }: Pick<ScheduleRow, 'id' | 'timeout_seconds'>,
  {
    db = store.db,
    seconds = timeout_seconds + END_SECONDS,
  }: { readonly db?: Database; readonly seconds?: number } = {},
): Promise<void> {
  const dueAt = new Date(clock.now().getTime() + seconds * 1000)
  await store.work.add({ kind: REMOVE, key: id, payload: { id }, dueAt }, db)
}

/** Whether the rest of a removal is still ahead. */
export async function isRemovalWaiting({ store, clock }: Deps, id: string): Promise<boolean> {
  const due = await store.work.dueAt(REMOVE, id)
  return due !== undefined && due > clock.now()
}
