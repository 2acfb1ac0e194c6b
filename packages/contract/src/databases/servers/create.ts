import * as z from 'zod'
import { commandErrors } from '../../nodes/errors.ts'
import { operation } from '../../operation.ts'
import { id } from '../../params.ts'
import {
  databasePort,
  databaseServer,
  databaseServerTag,
  databaseSlug,
  DEFAULT_SERVER_TAG,
} from '../records.ts'
import { serverErrors } from './errors.ts'

export const databaseServerCreate = operation({
  name: 'database:server:create',
  group: 'Databases',
  method: 'POST',
  path: '/database-servers',
  access: 'gateway',
  input: z.strictObject({
    slug: databaseSlug.describe('Name of the server, and of its Process.'),
    node_id: id.describe('An active Linux Node with Docker.'),
    tag: databaseServerTag
      .nullable()
      .optional()
      .describe(
        `Tag of the image \`mysql\`, or \`mariadb:TAG\` or \`postgres:TAG\`. Default: \`${DEFAULT_SERVER_TAG}\`.`,
      ),
    port: databasePort
      .nullable()
      .optional()
      .describe('Port on the tunnel address of the Node. Default: 3306, or 5432 for PostgreSQL.'),
  }),
  output: databaseServer,
  creates: true,
  watchable: true,
  errors: [
    'node.not_found',
    'node.not_active',
    'database.server_slug_conflict',
    'database.server_port_in_use',
    'database.server_start_failed',
    'process.name_taken',
    'process.target_inactive',
    'process.platform_unsupported',
    ...serverErrors,
    ...commandErrors,
  ],
  summary: 'Create a database server: MySQL, MariaDB or PostgreSQL in a container',
  description:
    'The server is a Process of the Node; its root password is random, stored encrypted, and in no container that keeps running. Repeating the same request continues a creation that stopped; for an active server it returns 200.',
  positional: ['slug', 'node_id'],
})
