import * as z from 'zod'
import { commandErrors } from '../../nodes/errors.ts'
import { operation } from '../../operation.ts'
import { flag, id } from '../../params.ts'
import { databaseServer, databaseSlug } from '../records.ts'
import { serverErrors } from './errors.ts'

export const databaseServerDestroy = operation({
  name: 'database:server:destroy',
  group: 'Databases',
  method: 'DELETE',
  path: '/database-servers/{slug}',
  access: 'gateway',
  input: z.strictObject({
    slug: databaseSlug.describe('Slug of the server.'),
    offline: flag
      .optional()
      .describe(
        'Skip a Node that is not active or does not answer. The container is removed when it is back.',
      ),
  }),
  output: databaseServer.extend({
    /** Containers that stay on a Node which was skipped, until `node:converge` removes them. */
    retained_on_nodes: z.array(z.strictObject({ node_id: id, node: z.string(), container: z.string() })),
  }),
  watchable: true,
  errors: [
    'database.server_in_use',
    'database.node_unreachable',
    'process.operation_busy',
    ...serverErrors,
    ...commandErrors,
  ],
  unknown: { slug: 'database.server_missing' },
  summary: 'Remove a database server without databases',
  description:
    'Removes the Process and the record. The volume `fleet-<slug>-data` stays on the Node: a new server of this slug would find the old data, with the old root password. With `offline`, a Node that is not active or does not answer is not contacted: `retained_on_nodes` names the container that stays there until `node:converge` removes it. Databases of the server are removed first, with `database:destroy --offline`.',
})
