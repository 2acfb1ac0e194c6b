import type { RunStatus, ScheduleStatus, TimerState } from '@fleet/contract'
import type { Bit } from '#/column-types.ts'

interface SchedulesTable {
  /** A UUID. */
  id: string
  instance_id: number | null
  node_id: number | null
  name: string
  calendar: string
  command: string
  timeout_seconds: number
  /** As the creation asked for: its repeat is compared with it. */
  starts_enabled: Bit
  desired_timer_state: TimerState
  status: ScheduleStatus
  failed_step: string | null
  error_code: string | null
  last_run_at: string | null
  last_run_status: RunStatus | null
  created_at: string
  /** Of the definition that it is a copy of; null for a Schedule of a caller. */
  definition_id: string | null
}

export interface ScheduleTables {
  schedules: SchedulesTable
}
