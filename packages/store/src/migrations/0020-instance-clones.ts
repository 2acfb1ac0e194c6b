import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** What a production Instance is cloned from, and how far its clone came. */
export async function instanceClones(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table instances add column clone_candidate_id integer`.execute(db)
  await sql`alter table instances add column clone ${text}`.execute(db)
}
