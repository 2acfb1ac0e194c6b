import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Variables of containers, which kind of artifact a removed Process left, and what Projects define for production. */
export async function processContainers(
  db: Kysely<unknown>,
  { reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`alter table processes add column variables ${text}`,
    sql`alter table process_residues add column runtime ${text} not null default 'systemd'`,
    sql`create table project_definitions (
      id ${text} not null primary key,
      project_id ${reference} not null references projects (id) on delete cascade,
      kind ${text} not null,
      name ${text} not null,
      environments ${text} not null,
      spec ${text} not null,
      variables ${text},
      created_at ${text} not null,
      unique (project_id, kind, name)
    ) ${options}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
