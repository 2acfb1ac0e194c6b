import type { ScheduleStatus } from './records.ts'

export interface ScheduleStatusRule {
  /** Its timer is installed, so it can be run and activated, and has a log. */
  readonly isInstalled: boolean
  readonly summary: string
}

/** What each status of a Schedule means (SCHD-007). */
export const scheduleStatusRules = {
  provisioning: { isInstalled: false, summary: 'It is being created.' },
  active: {
    isInstalled: true,
    summary: 'It is installed; `desired_timer_state` says whether its calendar starts it.',
  },
  failed: {
    isInstalled: false,
    summary: 'A step failed; `failed_step` and `error_code` name it. The identical request resumes.',
  },
  removing: {
    isInstalled: false,
    summary: 'It is being removed, and starts no more. It waits for a run that has not ended.',
  },
} as const satisfies Record<ScheduleStatus, ScheduleStatusRule>
