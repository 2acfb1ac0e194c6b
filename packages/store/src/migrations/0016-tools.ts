import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Packages that are installed on Nodes through their Tool managers. */
export async function tools(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  await sql`create table tools (
    id ${identity},
    node_id ${reference} not null references nodes (id) on delete cascade,
    manager ${text} not null,
    package ${text} not null,
    version_constraint ${text},
    status ${text} not null,
    installed_version ${text},
    failed_operation ${text},
    error_code ${text},
    outcome ${text},
    created_at ${text} not null,
    unique (node_id, manager, package)
  ) ${options}`.execute(db)
}
