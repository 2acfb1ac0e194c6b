import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { movedRouteErrors } from '../routes/errors.ts'
import { id } from '../params.ts'
import { cluster, clusterName, clusterTld } from './records.ts'

export const clusterUpdate = operation({
  name: 'cluster:update',
  group: 'Clusters',
  method: 'PATCH',
  path: '/clusters/{cluster}',
  access: 'clusterNodes',
  input: z.strictObject({
    cluster: id,
    name: clusterName.optional().describe('Display name, unique among Clusters.'),
    tld: clusterTld
      .optional()
      .describe(
        'One lowercase DNS label for generated domains. Null (`--no-tld` on the command line) clears it.',
      ),
    // Its rule has an error code of its own, so the schema only fixes the type.
    state: z.string().optional().describe('`inactive` or `active`.'),
  }),
  output: cluster,
  watchable: true,
  errors: [
    'cluster.update_required',
    'cluster.state_invalid',
    'cluster.tld_conflict',
    'cluster.router_required',
    'cluster.router_busy',
    'route.tld_required',
    'route.reconciliation_required',
    ...movedRouteErrors,
    'router.caddy_config_failed',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { cluster: 'cluster.not_found' },
  summary: 'Rename a Cluster, change its top-level domain, activate or deactivate it',
  description:
    'While a Cluster is active, generated domains use its top-level domain instead of those of its Nodes. A change that moves Routes is published before it is stored. Routes with another generated domain are replaced: old and new domain are served side by side, and the old ones are withdrawn after 31 s, once for all of them.',
})
