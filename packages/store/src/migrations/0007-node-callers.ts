import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Accounts of a Node that may call the gateway; no row without a limit. */
export async function nodeCallers(
  db: Kysely<unknown>,
  { reference, text, options }: ColumnTypes,
): Promise<void> {
  await sql`create table node_callers (
    node_id ${reference} not null primary key references nodes (id) on delete cascade,
    accounts ${text} not null
  ) ${options}`.execute(db)
}
