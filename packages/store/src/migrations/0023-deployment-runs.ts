import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Deployments and rollbacks with what they printed. */
export async function deploymentRuns(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  await sql`create table deployments (
    id ${identity},
    instance_id ${reference} not null references instances (id) on delete cascade,
    request_id ${text} not null,
    release ${text},
    branch ${text},
    commit_id ${text},
    started_at ${text} not null,
    finished_at ${text},
    duration_ms integer,
    status ${text} not null,
    phase ${text},
    failed_step ${text},
    error_code ${text},
    selected_release ${text},
    triggered_by ${text} not null,
    events ${text} not null
  ) ${options}`.execute(db)
  await sql`create index deployments_of_instance on deployments (instance_id, id)`.execute(db)
}
