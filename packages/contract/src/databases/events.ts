import * as z from 'zod'
import { id } from '../params.ts'
import { databaseConnection, databaseSlug } from './records.ts'

export const databaseEvents = {
  'database.created': { data: databaseConnection, summary: 'A database connection was registered.' },
  'database.updated': { data: databaseConnection, summary: 'A database connection changed.' },
  'database.deleted': {
    data: z.strictObject({ id, slug: databaseSlug }),
    summary: 'A database connection was removed.',
  },
} as const
