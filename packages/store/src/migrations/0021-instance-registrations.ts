import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Which Instances were checkouts of somebody before, and where. */
export async function instanceRegistrations(
  db: Kysely<unknown>,
  { reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`create table instance_registrations (
      instance_id ${reference} not null primary key references instances (id) on delete cascade,
      source_path ${text} not null,
      has_copy integer not null default 0 check (has_copy in (0, 1))
    ) ${options}`,
    sql`create index instance_registrations_source on instance_registrations (source_path)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
