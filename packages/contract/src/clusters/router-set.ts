import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { cluster } from './records.ts'

export const clusterRouterSet = operation({
  name: 'cluster:router:set',
  group: 'Clusters',
  method: 'PUT',
  path: '/clusters/{cluster}/router/{node}',
  access: 'clusterNodes',
  input: z.strictObject({ cluster: id, node: id.describe('The member that becomes the Router.') }),
  output: cluster,
  watchable: true,
  errors: [
    'cluster.router_node_invalid',
    'cluster.router_busy',
    'node.capability_missing',
    'node_role.convergence_failed',
    'node_role.remove_failed',
    'node_role.node_busy',
    'node.lock_lost',
    'ingress.caddy_config_failed',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { cluster: 'cluster.not_found', node: 'node.not_found' },
  summary: 'Set or replace the Router of a Cluster',
  description:
    'The previous Router serves until the new one is ready. If a candidate fails, its `router` role records the cause, and repeating the request tries again. If Routes are served, it waits 31 seconds before the previous Router stops, so that no resolver still leads to it.',
})
