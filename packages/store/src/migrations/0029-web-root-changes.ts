import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** The other web root of a Route whose web root changes. */
export async function webRootChanges(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table routes add column web_root_change ${text}`.execute(db)
}
