import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { schedule, scheduleId } from './records.ts'

export const scheduleDestroy = operation({
  name: 'schedule:destroy',
  group: 'Schedules',
  method: 'DELETE',
  path: '/schedules/{schedule}',
  access: 'scheduleNode',
  input: z.strictObject({
    schedule: scheduleId,
    offline: flag
      .default(false)
      .describe('Skip a Node that is not active or does not answer. The rest is removed when it is back.'),
  }),
  output: schedule.extend({
    /** False while a run has not ended: the Schedule is removed after it. */
    removed: z.boolean(),
    /** Nodes that were skipped, until `node:converge` removes what is left there. */
    retained_on_nodes: z.array(z.strictObject({ node_id: id, node: z.string(), timer: z.string() })),
  }),
  watchable: true,
  errors: [
    'schedule.operation_busy',
    'schedule.artifact_conflict',
    'schedule.remove_failed',
    'schedule.node_unreachable',
    'instance.lifecycle_busy',
    'instance.transfer_incomplete',
    'node.capability_missing',
    'node.lock_lost',
    ...commandErrors,
  ],
  unknown: { schedule: 'schedule.not_found' },
  summary: 'Disable and remove a Schedule',
  description:
    'A run that has not ended may end: the Schedule is `removing` until then and starts no more. The gateway removes the rest by itself; repeating the same request does it at once when the run has ended.',
})
