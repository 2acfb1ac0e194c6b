import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { serverErrors } from './servers/errors.ts'
import { databaseConnection, databaseSlug } from './records.ts'

export const databaseDestroy = operation({
  name: 'database:destroy',
  group: 'Databases',
  method: 'DELETE',
  path: '/database-connections/{slug}',
  access: 'gateway',
  input: z.strictObject({
    slug: databaseSlug.describe('Slug of the connection.'),
    offline: flag
      .optional()
      .describe(
        'Skip the Node of a database server if it is not active or does not answer. The database is dropped when it is back.',
      ),
  }),
  output: databaseConnection.extend({
    /** Databases on servers of a Node which was skipped, until `node:converge` drops them. */
    retained_on_nodes: z.array(z.strictObject({ node_id: id, node: z.string(), database: z.string() })),
    /** Names of all databases that were dropped on the server. */
    dropped_databases: z.array(z.string()),
  }),
  watchable: true,
  errors: [
    'database.connection_attached',
    'database.operation_busy',
    'database.server_inactive',
    'database.node_unreachable',
    'node.not_active',
    ...serverErrors,
    ...commandErrors,
  ],
  unknown: { slug: 'database.not_found' },
  summary: 'Remove a database connection',
  description:
    'A database that was registered is never dropped: only its record goes. A connection that an Instance or a Process uses is refused; one that an Instance no longer has attached may still be in its `.env` until `env:sync`. One that the fleet created on a database server is dropped there, with the users that nothing else uses and, if it has a test database, with every database whose name begins with the name of that: with `shop_test` also `shop_test_1`, and `shop_testimonials` if no other record has it. `dropped_databases` names them. If that fails, the record stays. With `offline`, a Node that is not active or does not answer is not contacted: `retained_on_nodes` names the database that stays there until `node:converge` drops it. A Node that answers is handled as without it.',
})
