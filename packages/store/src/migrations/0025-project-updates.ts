import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** The last update of each Project that changed what its Instances were created from. */
export async function projectUpdates(
  db: Kysely<unknown>,
  { reference, text, options }: ColumnTypes,
): Promise<void> {
  await sql`create table project_updates (
    project_id ${reference} not null primary key references projects (id) on delete cascade,
    state ${text} not null,
    requested ${text} not null,
    next_values ${text} not null,
    previous_values ${text} not null,
    found ${text} not null,
    step_events ${text} not null,
    failed_step ${text},
    error_code ${text},
    started_at ${text} not null,
    finished_at ${text}
  ) ${options}`.execute(db)
}
