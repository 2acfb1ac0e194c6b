import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { scheduleId } from './records.ts'

export const scheduleLogs = operation({
  name: 'schedule:logs',
  group: 'Schedules',
  method: 'GET',
  path: '/schedules/{schedule}/logs',
  access: 'scheduleNode',
  input: z.strictObject({
    schedule: scheduleId,
    lines: z.int().min(1).max(1000).default(100).describe('Number of lines from the end of the log.'),
  }),
  output: z.strictObject({
    /** Oldest line first. */
    output: z.string(),
    /** Earlier lines were left out, since an answer holds 1 MiB. */
    truncated: z.boolean(),
  }),
  errors: [
    'schedule.state_invalid',
    'schedule.target_unavailable',
    'schedule.logs_failed',
    'schedule.node_unreachable',
    'node.capability_missing',
    ...commandErrors,
  ],
  unknown: { schedule: 'schedule.not_found' },
  summary: 'Show what the last runs of a Schedule printed',
  description:
    'Nothing is masked: whatever the command prints is shown. At most 1 MiB, read within 10 seconds.',
})
