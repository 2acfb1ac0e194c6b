import * as z from 'zod'
import { operation } from '../operation.ts'
import { inspectionErrors } from './inspection-errors.ts'
import { databaseSchemaData, databaseSlug } from './records.ts'

export const databaseSchema = operation({
  name: 'database:schema',
  group: 'Databases',
  method: 'GET',
  path: '/database-connections/{slug}/schema',
  access: 'gateway',
  endsWithClient: true,
  input: z.strictObject({ slug: databaseSlug.describe('Slug of the connection.') }),
  output: databaseSchemaData,
  errors: inspectionErrors,
  unknown: { slug: 'database.not_found' },
  summary: 'Show the columns of every table of a database',
})
