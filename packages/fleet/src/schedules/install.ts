import { fail, type ScheduleData } from '@fleet/contract'
import type { NodeSession } from '#/nodes/api.ts'
import { wakeWhereCold } from '#/processes/api.ts'
import { reaching } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentSchedule } from '#/schedules/present.ts'
import { findRow } from '#/schedules/queries.ts'
import { recordOf, type ScheduleRecord } from '#/schedules/record.ts'
import { installSchedule } from '#/schedules/steps/creation.ts'

/** From the stored record to the timer as desired; its lock is held. Answers and publishes it as it is then. */
export async function completeSchedule(
  deps: SchedulesDeps,
  session: NodeSession,
  schedule: ScheduleRecord,
): Promise<ScheduleData> {
  const { call } = session
  if (schedule.desired_timer_state === 'enabled') await bringDependencies(deps, session, schedule)
  await installSchedule({ deps, call, session, schedule })
  const row = await findRow(deps.store.db, schedule.id)
  if (!row) throw fail('schedule.not_found')
  const data = presentSchedule(recordOf(row, schedule.owner))
  await call.publish('schedule.created', data)
  return data
}

/**
 * The timer wakes nothing: an Instance whose dependencies were removed gets them back before its Schedule is enabled (decision 0323).
 * Whether it is one; it is not waited for.
 */
export async function bringDependencies(
  deps: SchedulesDeps,
  session: NodeSession,
  { node, owner: { instance } }: ScheduleRecord,
): Promise<boolean> {
  if (instance?.environment !== 'development') return false
  return reaching(node, () => wakeWhereCold(deps, session, instance.id))
}
