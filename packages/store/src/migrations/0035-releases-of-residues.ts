import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** The release that a skipped Node still lets its web server read, and the Unix user who owns it. */
export async function releasesOfResidues(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  for (const column of ['source_path', 'source_user'])
    await sql`alter table route_residues add column ${sql.ref(column)} ${text}`.execute(db)
}
