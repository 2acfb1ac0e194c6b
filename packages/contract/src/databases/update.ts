import * as z from 'zod'
import { operation } from '../operation.ts'
import { changeMembers } from './members.ts'
import { databaseConnection, databaseDrivers, databaseSlug } from './records.ts'

export const databaseUpdate = operation({
  name: 'database:update',
  group: 'Databases',
  method: 'PATCH',
  path: '/database-connections/{slug}',
  access: 'gateway',
  input: z.strictObject({
    slug: databaseSlug.describe('Slug of the connection.'),
    driver: z.enum(databaseDrivers).optional().describe('Kind of the database.'),
    ...changeMembers,
  }),
  output: databaseConnection,
  watchable: true,
  errors: ['node.not_found', 'database.processes_behind'],
  unknown: { slug: 'database.not_found' },
  summary: 'Change a database connection',
  description:
    'Changes only the members that are sent; the slug stays, and so does a password that is not sent. With another driver, what it does not take is dropped, and its default port is used. The database is not contacted.\n\nThe change is stored first. Then each Process that depends on the connection (`connections` of `process:create`) gets the new values: one that runs is restarted, one that is stopped or sleeps stays so. A container is created anew for it: it keeps its volumes, also those without a name, and loses what else it wrote in itself. What fails on a Node takes nothing back: the answer names the Processes, and the same request again, or one without members, repairs them.',
})
