import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { serverErrors } from './servers/errors.ts'
import { registrationMembers } from './members.ts'
import { databaseConnection, databaseDrivers, databaseSlug, replacedByAttachment } from './records.ts'

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
  output: databaseConnection.extend({ replaced: replacedByAttachment }),
  creates: 'always',
  watchable: true,
  errors: [
    'database.slug_conflict',
    'database.server_missing',
    'database.server_inactive',
    'database.name_conflict',
    'database.operation_busy',
    'instance.not_found',
    'node.not_found',
    'node.not_active',
    'env.owner_unavailable',
    'env.configuration_invalid',
    'env.operation_busy',
    'instance.placement_unavailable',
    'instance.source_profile_missing',
    'instance.transfer_incomplete',
    'database.password_unreadable',
    ...serverErrors,
    ...commandErrors,
  ],
  summary: 'Register an existing database, or create one on a database server of the fleet',
  description:
    'Stores where the database is and how to log in; nothing is contacted. `mysql` and `pgsql` need `host`, `database`, `username` and `password`, `sqlite` needs `path`, `redis` needs `host`; other members than those of the driver are refused. A used slug is refused, also for the same values.\n\nWith `server`, a database and a user are created on that server instead, and no other member than `slug` and `instance_id` is taken. With `instance_id`, the Instance owns the database: it is attached under `DB`, has a test database, and is dropped with the Instance. What the Instance had stored under `DB` is replaced, also another connection and values of somebody: `replaced` names them. The connection that was replaced can be destroyed from then on: run `env:sync` before, since until then the application uses it. If it fails, what was created is dropped; repeating the same request finishes one that was interrupted.',
  positional: ['slug'],
})
