import {
  type ErrorCode,
  fail,
  type InputOf,
  SCHEDULE_CALENDAR_MAX_BYTES,
  SCHEDULE_COMMAND_MAX_BYTES,
  SCHEDULE_TIMEOUT_SECONDS,
} from '@fleet/contract'
import type { ScheduleRow } from '#/schedules/record.ts'

/** What a creation, or a definition of a Project, asks for. */
export type ScheduleSpec = Pick<ScheduleRow, 'name' | 'calendar' | 'command' | 'timeout_seconds'>
export type ScheduleRequest = ScheduleSpec & { readonly start: boolean }

const NAME = /^(?=.{1,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/
const PRINTABLE = /^[\x20-\x7e]+$/

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

const RULES: ReadonlyArray<readonly [code: ErrorCode, isMet: (spec: ScheduleSpec) => boolean]> = [
  ['schedule.name_invalid', ({ name }) => NAME.test(name)],
  [
    'schedule.calendar_invalid',
    ({ calendar }) =>
      PRINTABLE.test(calendar) && calendar.trim() !== '' && calendar.length <= SCHEDULE_CALENDAR_MAX_BYTES,
  ],
  [
    'schedule.command_invalid',
    ({ command }) =>
      command.trim() !== '' && !/[\n\r\0]/.test(command) && bytesOf(command) <= SCHEDULE_COMMAND_MAX_BYTES,
  ],
  [
    'schedule.timeout_invalid',
    ({ timeout_seconds: seconds }) =>
      Number.isInteger(seconds) &&
      seconds >= SCHEDULE_TIMEOUT_SECONDS.least &&
      seconds <= SCHEDULE_TIMEOUT_SECONDS.most,
  ],
]

/** Throws the code of the first rule that is not met (SCHD-002 to SCHD-005). The host's own parser judges the calendar besides. */
export function requireSpec(spec: ScheduleSpec): void {
  for (const [code, isMet] of RULES) if (!isMet(spec)) throw fail(code)
}

/** Throws the codes of `requireSpec`, and `schedule.state_invalid` for a Node Schedule that should not start (SCHD-021). */
export function requestOrRefuse(input: InputOf<'schedule:create'>): ScheduleRequest {
  const { target_type, name, calendar, command, timeout_seconds, start } = input
  const request = { name, calendar, command, timeout_seconds, start }
  requireSpec(request)
  if (target_type === 'node' && !start)
    throw fail('schedule.state_invalid', {
      message: 'A Schedule of a Node is always enabled. Leave out `start`, or set it to true.',
      details: { target_type },
    })
  return request
}

/** Whether the stored Schedule is what is asked for. Its timer may have been enabled since (SCHD-010, SCHD-024). */
export const isSame = (stored: ScheduleRow, request: ScheduleRequest): boolean =>
  stored.calendar === request.calendar &&
  stored.command === request.command &&
  stored.timeout_seconds === request.timeout_seconds &&
  stored.starts_enabled === (request.start ? 1 : 0)
