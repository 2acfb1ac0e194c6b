import * as z from 'zod'
import { operation } from '../operation.ts'
import { databaseSlug, databaseUser } from './records.ts'

export const databaseUserList = operation({
  name: 'database:user:list',
  group: 'Databases',
  method: 'GET',
  path: '/database-connections/{slug}/users',
  access: 'gateway',
  input: z.strictObject({ slug: databaseSlug.describe('Slug of the connection.') }),
  output: z.array(databaseUser),
  unknown: { slug: 'database.not_found' },
  summary: 'List the users that the fleet created for a database connection',
})
