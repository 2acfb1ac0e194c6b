import * as z from 'zod'
import { operation } from '../operation.ts'
import { inspectionErrors } from './inspection-errors.ts'
import { databaseSlug, databaseTableList } from './records.ts'

export const databaseTables = operation({
  name: 'database:tables',
  group: 'Databases',
  method: 'GET',
  path: '/database-connections/{slug}/tables',
  access: 'gateway',
  endsWithClient: true,
  input: z.strictObject({ slug: databaseSlug.describe('Slug of the connection.') }),
  output: databaseTableList,
  errors: inspectionErrors,
  unknown: { slug: 'database.not_found' },
  summary: 'List the tables and views of a database',
})
