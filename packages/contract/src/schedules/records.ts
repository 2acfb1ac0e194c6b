import * as z from 'zod'
import { id, time, uuid } from '../params.ts'
import { processTargets } from '../processes/records.ts'

export const timerStates = ['enabled', 'disabled'] as const
export type TimerState = (typeof timerStates)[number]

export const scheduleStatuses = ['provisioning', 'active', 'failed', 'removing'] as const
export type ScheduleStatus = (typeof scheduleStatuses)[number]

export const runStatuses = ['success', 'error'] as const
export type RunStatus = (typeof runStatuses)[number]

/** SCHD-005 */
export const SCHEDULE_TIMEOUT_SECONDS = { least: 1, default: 3600, most: 86_400 } as const
/** Bytes (SCHD-003, SCHD-004). */
export const SCHEDULE_CALENDAR_MAX_BYTES = 255
export const SCHEDULE_COMMAND_MAX_BYTES = 4096

/** What a Schedule runs and when: for a creation, and for a definition of a Project. A creation has a code of its own for each rule. */
export const scheduleSpec = {
  calendar: z
    .string()
    .describe(
      'When it runs, as systemd writes it (`man systemd.time`), such as `daily`, `Mon..Fri 09:00` or `*:0/15`. One line of at most 255 bytes.',
    ),
  command: z
    .string()
    .describe('One line of shell, at most 4,096 bytes. It runs in the directory of its owner.'),
  timeout_seconds: z.int().describe('Seconds after which a run is ended as failed: 1 to 86,400.'),
} as const

const encoder = new TextEncoder()

/** What each member of a Schedule has to be, wherever it is given (SCHD-002 to SCHD-005). */
export const scheduleRules = {
  name: (text: string): boolean => /^(?=.{1,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text),
  calendar: (text: string): boolean =>
    /^[\x20-\x7e]+$/.test(text) && text.trim() !== '' && text.length <= SCHEDULE_CALENDAR_MAX_BYTES,
  command: (text: string): boolean =>
    text.trim() !== '' && !/[\n\r\0]/.test(text) && encoder.encode(text).length <= SCHEDULE_COMMAND_MAX_BYTES,
  timeout_seconds: (seconds: number): boolean =>
    Number.isInteger(seconds) &&
    seconds >= SCHEDULE_TIMEOUT_SECONDS.least &&
    seconds <= SCHEDULE_TIMEOUT_SECONDS.most,
} as const

export const scheduleId = uuid.describe('Id of the Schedule.')

/** A Schedule (SCHD-001 to SCHD-008). */
export const schedule = z.strictObject({
  id: uuid,
  target_type: z.enum(processTargets),
  target_id: id,
  name: z.string(),
  calendar: z.string(),
  command: z.string(),
  timeout_seconds: z.int(),
  desired_timer_state: z.enum(timerStates),
  status: z.enum(scheduleStatuses),
  failed_step: z.string().nullable(),
  error_code: z.string().nullable(),
  /** When the report of the last run was received; null before the first. */
  last_run_at: time.nullable(),
  last_run_status: z.enum(runStatuses).nullable(),
})
export type ScheduleData = z.output<typeof schedule>

/** As lists have it (SCHD-009). */
export const listedSchedule = schedule.omit({ command: true })
export type ListedSchedule = z.output<typeof listedSchedule>
