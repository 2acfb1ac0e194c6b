import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { process } from './records.ts'

export const processDestroy = operation({
  name: 'process:destroy',
  group: 'Processes',
  method: 'DELETE',
  path: '/processes/{process}',
  access: 'processNode',
  input: z.strictObject({
    process: id,
    offline: flag
      .default(false)
      .describe('Skip a Node that is not active or does not answer. The rest is removed when it is back.'),
  }),
  output: process.extend({
    /** Units and containers that stay on a Node which was skipped, until `node:converge` removes them. */
    retained_on_nodes: z.array(z.strictObject({ node_id: id, node: z.string(), unit: z.string() })),
  }),
  watchable: true,
  errors: [
    'process.has_routes',
    'process.required_by_database_server',
    'process.operation_busy',
    'process.runtime_lock_failed',
    'process.unit_conflict',
    'process.container_conflict',
    'process.runtime_failed',
    'process.node_unreachable',
    'instance.lifecycle_busy',
    'instance.transfer_incomplete',
    'node.capability_missing',
    'node.lock_lost',
    ...commandErrors,
  ],
  unknown: { process: 'process.not_found' },
  summary: 'Stop and remove a Process',
  description:
    'The unit or the container is removed only if its marker names this Process; named volumes are kept, and those without a name are deleted with the container. If a step fails, the Process stays `removing`; repeating the same request finishes it.',
})
