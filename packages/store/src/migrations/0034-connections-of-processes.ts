import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** With which values of its database connections a Process runs. */
export async function connectionsOfProcesses(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table processes add column connection_values ${text}`.execute(db)
}
