import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { movedRouteErrors } from '../routes/errors.ts'
import { flag, id } from '../params.ts'
import { cluster } from './records.ts'

export const clusterNodeDetach = operation({
  name: 'cluster:node:detach',
  group: 'Clusters',
  method: 'DELETE',
  path: '/clusters/{cluster}/nodes/{node}',
  access: 'clusterNodes',
  input: z.strictObject({
    cluster: id,
    node: id.describe('The Node to remove from the Cluster.'),
    force: flag
      .optional()
      .describe('Confirmation from a client that cannot ask a person. It skips no check.'),
  }),
  output: cluster,
  watchable: true,
  errors: [
    'cluster.membership_missing',
    'cluster.router_detach_forbidden',
    'cluster.ingress_detach_forbidden',
    'cluster.tld_conflict',
    'cluster.router_busy',
    'route.tld_required',
    'route.reconciliation_required',
    ...movedRouteErrors,
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { cluster: 'cluster.not_found', node: 'node.not_found' },
  summary: 'Remove a Node from a Cluster',
  description:
    'The Routes of the Node move back to the Node, and its generated domains use its own top-level domain again.',
})
