import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Database servers of the fleet, the databases that it created on them, and which Instances use a connection. */
export async function databaseServers(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`create table database_servers (
      id ${identity},
      slug ${text} not null unique,
      node_id ${reference} not null references nodes (id) on delete restrict,
      process_id ${reference} references processes (id) on delete set null,
      engine ${text} not null,
      tag ${text} not null,
      port integer not null,
      root_password ${text},
      status ${text} not null,
      completed_step ${text},
      failed_step ${text},
      error_code ${text},
      created_at ${text} not null
    ) ${options}`,
    sql`create index database_servers_node on database_servers (node_id)`,
    sql`alter table database_connections add column server_id ${reference} references database_servers (id) on delete restrict`,
    sql`alter table database_connections add column owner_instance_id ${reference} references instances (id) on delete restrict`,
    sql`alter table database_connections add column test_database ${text}`,
    // The step that a creation, a clone or a removal has reached; null for a connection that is complete.
    sql`alter table database_connections add column pending_step ${text}`,
    sql`create index database_connections_server on database_connections (server_id)`,
    sql`create index database_connections_owner on database_connections (owner_instance_id)`,
    // By the slug, not by the id: Doctor reports a mapping whose connection is gone.
    sql`create table database_attachments (
      id ${identity},
      instance_id ${reference} not null references instances (id) on delete cascade,
      prefix ${text} not null,
      slug ${text} not null,
      created_at ${text} not null,
      unique (instance_id, prefix)
    ) ${options}`,
    sql`create index database_attachments_slug on database_attachments (slug)`,
    // What a removal left on a server that did not answer.
    sql`create table database_residues (
      id ${identity},
      server_id ${reference} not null references database_servers (id) on delete cascade,
      database_name ${text} not null,
      test_database ${text},
      username ${text},
      created_at ${text} not null
    ) ${options}`,
    sql`create index database_residues_server on database_residues (server_id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
