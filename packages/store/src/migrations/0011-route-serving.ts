import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** What a Route to an Instance has on its Node besides a site and a name, and the leaf that a skipped Node keeps of it. */
export async function routeServing(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const statements = [
    sql`alter table routes add column has_source integer not null default 0 check (has_source in (0, 1))`,
    sql`alter table routes add column php_version ${text}`,
    sql`alter table route_residues add column leaf_scope ${text}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
