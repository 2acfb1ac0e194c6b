import * as z from 'zod'
import { commandErrors } from '../../nodes/errors.ts'
import { operation } from '../../operation.ts'
import { databaseServer, databaseSlug } from '../records.ts'
import { serverErrors } from './errors.ts'

export const databaseServerDestroy = operation({
  name: 'database:server:destroy',
  group: 'Databases',
  method: 'DELETE',
  path: '/database-servers/{slug}',
  access: 'gateway',
  input: z.strictObject({ slug: databaseSlug.describe('Slug of the server.') }),
  output: databaseServer,
  watchable: true,
  errors: ['database.server_in_use', 'process.operation_busy', ...serverErrors, ...commandErrors],
  unknown: { slug: 'database.server_missing' },
  summary: 'Remove a database server without databases',
  description:
    'Removes the Process and the record. The volume `fleet-<slug>-data` stays on the Node: a new server of this slug would find the old data, with the old root password.',
})
