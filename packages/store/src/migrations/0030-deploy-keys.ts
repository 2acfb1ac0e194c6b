import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Deploy keys of Projects, and the host keys that Git hosts have to prove. */
export async function deployKeys(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  await sql`create table deploy_keys (
    id ${identity},
    project_id ${reference} references projects (id) on delete cascade,
    repository ${text},
    status ${text} not null,
    private_key ${text} not null,
    public_key ${text} not null,
    fingerprint ${text} not null unique,
    created_at ${text} not null,
    unique (project_id, status),
    unique (repository, status)
  ) ${options}`.execute(db)
  await sql`create table git_host_keys (
    id ${identity},
    host ${text} not null,
    port integer not null,
    type ${text} not null,
    public_key ${text} not null,
    fingerprint ${text} not null,
    trust ${text} not null,
    recorded_at ${text} not null,
    unique (host, port, type)
  ) ${options}`.execute(db)
}
