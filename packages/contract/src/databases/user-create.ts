import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { serverErrors } from './servers/errors.ts'
import { DATABASE_LIMITS, databasePassword, databaseSlug, databaseUser } from './records.ts'

export const databaseUserCreate = operation({
  name: 'database:user:create',
  group: 'Databases',
  method: 'POST',
  path: '/database-connections/{slug}/users',
  access: 'gateway',
  input: z.strictObject({
    slug: databaseSlug.describe('Slug of the connection.'),
    username: z
      .string()
      .max(DATABASE_LIMITS.userMaxCharacters)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be an identifier of 1 to 32 characters')
      .describe('Login name of the user.'),
    password: databasePassword.meta({ description: 'Password of the user.', writeOnly: true }),
    read_only: z.boolean().optional().describe('The user may only read. Default: it may do everything.'),
  }),
  output: databaseUser,
  creates: true,
  errors: [
    'database.server_required',
    'database.server_inactive',
    'database.name_conflict',
    'database.operation_busy',
    'node.not_active',
    ...serverErrors,
    ...commandErrors,
  ],
  unknown: { slug: 'database.not_found' },
  summary: 'Create a user in a database on a server of the fleet',
  description:
    'The same request again replaces the password and what the user may do. A name that the server has already, and that Fleet did not create there, is refused. The user is dropped with its database, unless another database of the server has it too. Nothing else drops it: another password keeps out whoever has this one.',
  positional: ['slug', 'username'],
})
