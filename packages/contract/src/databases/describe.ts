import * as z from 'zod'
import { operation } from '../operation.ts'
import { inspectionErrors } from './inspection-errors.ts'
import { databaseSlug, databaseTable, databaseTableData } from './records.ts'

export const databaseDescribe = operation({
  name: 'database:describe',
  group: 'Databases',
  method: 'GET',
  path: '/database-connections/{slug}/describe/{table}',
  access: 'gateway',
  endsWithClient: true,
  input: z.strictObject({
    slug: databaseSlug.describe('Slug of the connection.'),
    table: databaseTable.describe('Name of the table or view.'),
  }),
  output: databaseTableData,
  // A table is in the database and no record of the fleet, so only the database knows that there is none.
  errors: [...inspectionErrors, 'database.table_missing'],
  unknown: { slug: 'database.not_found' },
  summary: 'Show the columns of one table',
})
