import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { processTargets } from '../processes/records.ts'
import { schedule, SCHEDULE_TIMEOUT_SECONDS, scheduleSpec } from './records.ts'

export const scheduleCreate = operation({
  name: 'schedule:create',
  group: 'Schedules',
  method: 'POST',
  path: '/schedules',
  access: 'bodyTarget',
  input: z.strictObject({
    target_type: z.enum(processTargets).describe('What owns the Schedule.'),
    target_id: id.describe('Id of the Instance or the Node.'),
    name: z
      .string()
      .describe('Name, unique for its owner: 1 to 63 lowercase letters, digits and single inner hyphens.'),
    ...scheduleSpec,
    timeout_seconds: scheduleSpec.timeout_seconds.default(SCHEDULE_TIMEOUT_SECONDS.default),
    start: z
      .boolean()
      .default(true)
      .describe('Enable its timer at once. Only an Instance may have one that is not enabled.'),
  }),
  output: schedule,
  creates: true,
  watchable: true,
  errors: [
    'schedule.name_invalid',
    'schedule.calendar_invalid',
    'schedule.command_invalid',
    'schedule.timeout_invalid',
    'schedule.platform_unsupported',
    'schedule.target_unavailable',
    'schedule.state_invalid',
    'schedule.retry_conflict',
    'schedule.operation_busy',
    'schedule.artifact_conflict',
    'schedule.install_failed',
    'schedule.rollback_failed',
    'schedule.node_unreachable',
    'instance.lifecycle_busy',
    'instance.transfer_incomplete',
    'node.not_found',
    'instance.not_found',
    'node.capability_missing',
    'node.lock_lost',
    ...commandErrors,
  ],
  positional: ['target_type', 'target_id', 'name', 'calendar', 'command'],
  summary: 'Create a Schedule: a command that a Node runs at the times of a calendar',
  description:
    'systemd on the Node checks the calendar and keeps the time: a run that was missed while the Node was off starts once when it is back. Schedules of Nodes and of development Instances run as the managed user in a login shell; those of production Instances as their own user. Repeating the same request returns the stored Schedule and changes nothing, or completes a creation that was interrupted. A Schedule is not edited: destroy it and create it again.',
})
