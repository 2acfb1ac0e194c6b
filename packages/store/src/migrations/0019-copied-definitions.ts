import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Of which definition of its Project a Process or Schedule is the copy. It outlives the definition. */
export async function copiedDefinitions(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table processes add column definition_id ${text}`.execute(db)
  await sql`alter table schedules add column definition_id ${text}`.execute(db)
}
