import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Which database an Instance was created with, and what of it its creation has yet to do. */
export async function databasesOfCreations(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table instances add column database_server ${text}`.execute(db)
  await sql`alter table instances add column database_pending ${text}`.execute(db)
}
