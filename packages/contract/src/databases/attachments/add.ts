import * as z from 'zod'
import { operation } from '../../operation.ts'
import { instanceId } from '../../params.ts'
import {
  databaseAttachment,
  databasePrefix,
  databaseSlug,
  DEFAULT_DATABASE_PREFIX,
  replacedByAttachment,
} from '../records.ts'
import { attachmentErrors } from './errors.ts'

export const instanceDatabaseAdd = operation({
  name: 'instance:database:add',
  group: 'Databases',
  method: 'PUT',
  path: '/instances/{instance}/database-connections/{slug}',
  access: 'instanceNode',
  input: z.strictObject({
    instance: instanceId,
    slug: databaseSlug.describe('Slug of the connection.'),
    prefix: databasePrefix
      .default(DEFAULT_DATABASE_PREFIX)
      .describe('Name before the keys: `DB` writes `DB_CONNECTION`, `DB_HOST` and so on.'),
  }),
  output: databaseAttachment.extend({ replaced: replacedByAttachment }),
  errors: [
    ...attachmentErrors,
    'database.operation_busy',
    'database.password_unreadable',
    'env.configuration_invalid',
  ],
  unknown: { instance: 'instance.not_found', slug: 'database.not_found' },
  summary: 'Write the login of a database connection into the configuration of an Instance',
  description:
    'Stores `<PREFIX>_CONNECTION`, `_HOST`, `_PORT`, `_DATABASE`, `_USERNAME` and `_PASSWORD` as far as the driver has them, and removes the others of the six. Another connection with the same prefix is replaced, and so are stored values of these keys: `replaced` names them. Does not contact the Node: `env:sync` writes the file. A later change of the connection changes no stored key; attach it again.',
})
