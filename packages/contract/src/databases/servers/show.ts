import * as z from 'zod'
import { operation } from '../../operation.ts'
import { databaseServerDetail, databaseSlug } from '../records.ts'

export const databaseServerShow = operation({
  name: 'database:server:show',
  group: 'Databases',
  method: 'GET',
  path: '/database-servers/{slug}',
  access: 'gateway',
  input: z.strictObject({ slug: databaseSlug.describe('Slug of the server.') }),
  output: databaseServerDetail,
  unknown: { slug: 'database.server_missing' },
  summary: 'Show a database server and its databases',
})
