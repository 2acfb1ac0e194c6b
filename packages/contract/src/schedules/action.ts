import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { schedule, scheduleId } from './records.ts'

/** What running and activating a Schedule have in common. */
export const action = {
  group: 'Schedules',
  method: 'POST',
  access: 'scheduleNode',
  input: z.strictObject({ schedule: scheduleId }),
  output: schedule,
  unknown: { schedule: 'schedule.not_found' },
} as const

export const actionErrors = [
  'schedule.state_invalid',
  'schedule.target_unavailable',
  'schedule.operation_busy',
  'schedule.artifact_conflict',
  'schedule.node_unreachable',
  'instance.lifecycle_busy',
  'instance.transfer_incomplete',
  'node.capability_missing',
  'node.lock_lost',
  ...commandErrors,
] as const
