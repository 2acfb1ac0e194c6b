import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { movedRouteErrors } from '../routes/errors.ts'
import { id } from '../params.ts'
import { cluster } from './records.ts'

export const clusterNodeAttach = operation({
  name: 'cluster:node:attach',
  group: 'Clusters',
  method: 'PUT',
  path: '/clusters/{cluster}/nodes/{node}',
  access: 'clusterNodes',
  input: z.strictObject({ cluster: id, node: id.describe('The Node to add to the Cluster.') }),
  output: cluster,
  watchable: true,
  errors: [
    'cluster.node_inactive',
    'cluster.membership_conflict',
    'cluster.lan_ip_conflict',
    'cluster.router_required',
    'cluster.router_busy',
    'router.lan_ingress_failed',
    'route.reconciliation_required',
    'route.tld_required',
    ...movedRouteErrors,
    'router.caddy_config_failed',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { cluster: 'cluster.not_found', node: 'node.not_found' },
  summary: 'Add a Node to a Cluster',
  description:
    'A Node can be in one Cluster only. If the Cluster is active, the Routes of the Node move to the Cluster before it becomes a member; in an inactive Cluster nothing moves. A Node that is already a member is not changed.',
})
