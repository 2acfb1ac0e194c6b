import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { serverErrors } from './servers/errors.ts'
import { databaseConnection, databaseSlug } from './records.ts'

export const databaseDestroy = operation({
  name: 'database:destroy',
  group: 'Databases',
  method: 'DELETE',
  path: '/database-connections/{slug}',
  access: 'gateway',
  input: z.strictObject({ slug: databaseSlug.describe('Slug of the connection.') }),
  output: databaseConnection,
  watchable: true,
  errors: [
    'database.connection_attached',
    'database.operation_busy',
    'database.server_inactive',
    'node.not_active',
    ...serverErrors,
    ...commandErrors,
  ],
  unknown: { slug: 'database.not_found' },
  summary: 'Remove a database connection',
  description:
    'A database that was registered is never dropped: only its record goes. One that the fleet created on a database server is dropped there, with its test databases and the users that nothing else uses; if that fails, the record stays.',
})
