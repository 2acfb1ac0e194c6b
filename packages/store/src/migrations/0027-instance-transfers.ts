import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** The last transfer of each Instance. */
export async function instanceTransfers(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table instances add column transfer ${text}`.execute(db)
}
