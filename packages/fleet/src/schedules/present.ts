import type { ListedSchedule, ScheduleData } from '@fleet/contract'
import type { ScheduleRecord } from '#/schedules/record.ts'

/** The only way out of the domain. */
export const presentSchedule = (schedule: ScheduleRecord): ScheduleData => ({
  id: schedule.id,
  target_type: schedule.owner.type,
  target_id: schedule.owner.id,
  name: schedule.name,
  calendar: schedule.calendar,
  command: schedule.command,
  timeout_seconds: schedule.timeout_seconds,
  desired_timer_state: schedule.desired_timer_state,
  status: schedule.status,
  failed_step: schedule.failed_step,
  error_code: schedule.error_code,
  last_run_at: schedule.last_run_at,
  last_run_status: schedule.last_run_status,
})

/** As lists have it: without the command (SCHD-009). */
export function presentListed(schedule: ScheduleRecord): ListedSchedule {
  const { command: _, ...listed } = presentSchedule(schedule)
  return listed
}
