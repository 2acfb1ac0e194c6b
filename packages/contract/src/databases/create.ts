import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { registrationMembers } from './members.ts'
import { databaseConnection, databaseDrivers, databaseSlug } from './records.ts'

export const databaseCreate = operation({
  name: 'database:create',
  group: 'Databases',
  method: 'POST',
  path: '/database-connections',
  access: 'gateway',
  input: z.strictObject({
    slug: databaseSlug.describe('Name of the connection, unique in the fleet.'),
    driver: z.enum(databaseDrivers).optional().describe('Kind of the database to register.'),
    ...registrationMembers,
    server: databaseSlug
      .optional()
      .describe('Database server of the fleet on which to create the database, instead of registering one.'),
    instance_id: id.optional().describe('Instance that will own the new database; only with `server`.'),
  }),
  output: databaseConnection,
  creates: true,
  errors: ['database.slug_conflict', 'database.server_missing', 'node.not_found'],
  summary: 'Register an existing database',
  description:
    'Stores where the database is and how to log in; nothing is contacted. `mysql` and `pgsql` need `host`, `database`, `username` and `password`, `sqlite` needs `path`, `redis` needs `host`; other members than those of the driver are refused. A used slug is refused, also for the same values.',
  positional: ['slug'],
})
