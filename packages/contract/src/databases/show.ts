import * as z from 'zod'
import { operation } from '../operation.ts'
import { databaseConnectionDetail, databaseSlug } from './records.ts'

export const databaseShow = operation({
  name: 'database:show',
  group: 'Databases',
  method: 'GET',
  path: '/database-connections/{slug}',
  access: 'gateway',
  input: z.strictObject({ slug: databaseSlug.describe('Slug of the connection.') }),
  output: databaseConnectionDetail,
  unknown: { slug: 'database.not_found' },
  summary: 'Show one database connection',
})
