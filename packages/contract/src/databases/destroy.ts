import * as z from 'zod'
import { operation } from '../operation.ts'
import { databaseConnection, databaseSlug } from './records.ts'

export const databaseDestroy = operation({
  name: 'database:destroy',
  group: 'Databases',
  method: 'DELETE',
  path: '/database-connections/{slug}',
  access: 'gateway',
  input: z.strictObject({ slug: databaseSlug.describe('Slug of the connection.') }),
  output: databaseConnection,
  errors: ['database.connection_attached'],
  unknown: { slug: 'database.not_found' },
  summary: 'Remove a database connection',
  description: 'Removes the record alone: a database that was registered is never dropped.',
})
