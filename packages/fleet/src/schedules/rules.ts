import { fail, type InputOf, scheduleRules } from '@fleet/contract'
import type { Compared } from '#/repeats.ts'
import type { ScheduleRow } from '#/schedules/record.ts'

/** What a creation, or a definition of a Project, asks for. */
export type ScheduleSpec = Pick<ScheduleRow, 'name' | 'calendar' | 'command' | 'timeout_seconds'>
export type ScheduleRequest = ScheduleSpec & { readonly start: boolean }

/** Throws the code of the first rule that is not met (SCHD-002 to SCHD-005). The host's own parser checks the calendar besides. */
export function requireSpec({ name, calendar, command, timeout_seconds }: ScheduleSpec): void {
  if (!scheduleRules.name(name)) throw fail('schedule.name_invalid')
  if (!scheduleRules.calendar(calendar)) throw fail('schedule.calendar_invalid')
  if (!scheduleRules.command(command)) throw fail('schedule.command_invalid')
  if (!scheduleRules.timeout_seconds(timeout_seconds)) throw fail('schedule.timeout_invalid')
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
export const compared = (stored: ScheduleRow, request: ScheduleRequest): Compared => ({
  calendar: stored.calendar === request.calendar,
  command: stored.command === request.command,
  timeout_seconds: stored.timeout_seconds === request.timeout_seconds,
  start: stored.starts_enabled === (request.start ? 1 : 0),
})
