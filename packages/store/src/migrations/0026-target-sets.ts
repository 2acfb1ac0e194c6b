import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Sets of targets on their way, and where each target is in them. */
export async function targetSets(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { reference, text, options } = types
  const statements = [
    sql`alter table route_targets add column phase ${text}
      check (phase in ('reserved', 'joining', 'joined', 'leaving'))`,
    sql`create table route_target_sets (
      route_id ${reference} not null primary key references routes (id) on delete cascade,
      target_set ${text} not null,
      created_at ${text} not null
    ) ${options}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
