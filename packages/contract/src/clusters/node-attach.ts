import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { cluster } from './records.ts'

export const clusterNodeAttach = operation({
  name: 'cluster:node:attach',
  group: 'Clusters',
  method: 'PUT',
  path: '/clusters/{cluster}/nodes/{node}',
  access: 'clusterNodes',
  input: z.strictObject({ cluster: id, node: id.describe('The Node to join the Cluster.') }),
  output: cluster,
  watchable: true,
  errors: [
    'cluster.node_inactive',
    'cluster.membership_conflict',
    'cluster.lan_ip_conflict',
    'cluster.router_required',
    'cluster.router_busy',
    'route.reconciliation_required',
    'node.lock_lost',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { cluster: 'cluster.not_found', node: 'node.not_found' },
  summary: 'Make a Node a member of a Cluster',
  description:
    'A Node is in one Cluster at most. In an active Cluster its Routes move to the Cluster before it is a member; in an inactive one nothing moves. A member stays as it is.',
})
