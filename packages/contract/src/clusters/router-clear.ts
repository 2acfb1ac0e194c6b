import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { cluster } from './records.ts'

export const clusterRouterClear = operation({
  name: 'cluster:router:clear',
  group: 'Clusters',
  method: 'DELETE',
  path: '/clusters/{cluster}/router',
  access: 'clusterNodes',
  input: z.strictObject({
    cluster: id,
    force: flag
      .optional()
      .describe('Confirmation from a client that cannot ask a person. It skips no check.'),
  }),
  output: cluster,
  watchable: true,
  errors: [
    'cluster.routes_require_router',
    'cluster.active_router_required',
    'cluster.router_busy',
    'node.capability_missing',
    'node_role.remove_failed',
    'node_role.node_busy',
    'node.lock_lost',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { cluster: 'cluster.not_found' },
  summary: 'Remove the Router of a Cluster',
  description: 'A Cluster without a Router is not changed.',
})
