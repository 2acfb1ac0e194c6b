import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** How far the setup list of an Instance came, so that an interrupted creation resumes after its last finished step. */
export async function setupProgress(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table instances add column setup_done ${text}`.execute(db)
}
