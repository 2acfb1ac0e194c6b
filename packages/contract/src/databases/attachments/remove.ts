import * as z from 'zod'
import { operation } from '../../operation.ts'
import { instanceId } from '../../params.ts'
import { databaseAttachment, databasePrefix, databaseSlug } from '../records.ts'
import { attachmentErrors } from './errors.ts'

export const instanceDatabaseRemove = operation({
  name: 'instance:database:remove',
  group: 'Databases',
  method: 'DELETE',
  path: '/instances/{instance}/database-connections/{slug}',
  access: 'instanceNode',
  input: z.strictObject({
    instance: instanceId,
    slug: databaseSlug.describe('Slug of the connection.'),
    prefix: databasePrefix
      .optional()
      .describe(
        'Required if the Instance uses the connection with several prefixes; otherwise it may be left out.',
      ),
  }),
  output: databaseAttachment,
  errors: attachmentErrors,
  unknown: { instance: 'instance.not_found', slug: 'database.attachment_missing' },
  mayBeGone: ['slug'],
  summary: 'Remove the login of a database connection from the configuration of an Instance',
  description:
    'Removes the six keys of the prefix from the stored configuration, and no others. The database stays. Does not contact the Node: `env:sync` writes the file.',
})
