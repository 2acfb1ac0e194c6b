import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** The role through which a user of a database of PostgreSQL may write in it; null for who does so as an earlier version granted it. */
export async function rolesOfDatabaseUsers(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table database_users add column role ${text}`.execute(db)
}
