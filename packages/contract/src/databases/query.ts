import * as z from 'zod'
import { operation } from '../operation.ts'
import { filledText } from '../params.ts'
import { inspectionErrors } from './inspection-errors.ts'
import { DATABASE_LIMITS, databaseResult, databaseSlug } from './records.ts'

export const databaseQuery = operation({
  name: 'database:query',
  group: 'Databases',
  method: 'POST',
  path: '/database-connections/{slug}/query',
  access: 'gateway',
  endsWithClient: true,
  changesWith: 'write',
  input: z.strictObject({
    slug: databaseSlug.describe('Slug of the connection.'),
    sql: filledText(DATABASE_LIMITS.sqlMaxCharacters).describe('One SQL statement.'),
    write: z.boolean().optional().describe('The statement may change the database. Default: it only reads.'),
  }),
  output: databaseResult,
  errors: [...inspectionErrors, 'database.sql_multiple_statements', 'database.write_required'],
  unknown: { slug: 'database.not_found' },
  summary: 'Run one SQL statement in a registered database',
  description:
    'Without `write`, the statement runs only if it is surely a read, in a session that cannot write. The answer has at most 500 rows; `truncated` is true if there are more. Large cells are cut, binary values are `{"base64": …}`, integers and decimals that JSON cannot hold exactly are texts, and the password of the connection is replaced by `[REDACTED]`. A write is not undone when its answer is lost.',
  positional: ['slug', 'sql'],
})
