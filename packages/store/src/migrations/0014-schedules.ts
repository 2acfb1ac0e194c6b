import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Commands that Nodes run at the times of a calendar. */
export async function schedules(
  db: Kysely<unknown>,
  { reference, text, options }: ColumnTypes,
): Promise<void> {
  await sql`create table schedules (
    id ${text} primary key,
    instance_id ${reference} references instances (id) on delete restrict,
    node_id ${reference} references nodes (id) on delete restrict,
    name ${text} not null,
    calendar ${text} not null,
    command ${text} not null,
    timeout_seconds integer not null,
    starts_enabled integer not null check (starts_enabled in (0, 1)),
    desired_timer_state ${text} not null,
    status ${text} not null,
    failed_step ${text},
    error_code ${text},
    last_run_at ${text},
    last_run_status ${text},
    created_at ${text} not null,
    check ((instance_id is null) <> (node_id is null)),
    unique (instance_id, name),
    unique (node_id, name)
  ) ${options}`.execute(db)
}
