import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** The users who were created in a database of a removed Instance, as JSON. */
export async function usersOfResidues(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table database_residues add column created_users ${text} not null default '[]'`.execute(db)
}
