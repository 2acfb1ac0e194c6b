import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** The GitHub App of the gateway, and the registration of one that a person has begun: at most one row in each. */
export async function githubAppOfTheGateway(
  db: Kysely<unknown>,
  { reference, text, options }: ColumnTypes,
): Promise<void> {
  await sql`create table github_apps (
    id integer not null primary key check (id = 1),
    app_id ${reference} not null,
    slug ${text} not null,
    name ${text} not null,
    owner ${text} not null,
    url ${text} not null,
    private_key ${text} not null,
    created_at ${text} not null
  ) ${options}`.execute(db)
  await sql`create table github_registrations (
    id integer not null primary key check (id = 1),
    state_digest ${text} not null,
    name ${text} not null,
    owner ${text},
    expires_at ${text} not null
  ) ${options}`.execute(db)
}
