import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Registered databases, and the users that the fleet created in them. */
export async function databases(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    // A removed Node leaves its connections: Doctor reports those that name it (DBD-003).
    sql`create table database_connections (
      id ${identity},
      slug ${text} not null unique,
      driver ${text} not null,
      node_id ${reference},
      host ${text},
      port integer,
      database_name ${text},
      path ${text},
      username ${text},
      password ${text},
      created_at ${text} not null
    ) ${options}`,
    sql`create index database_connections_node on database_connections (node_id)`,
    sql`create table database_users (
      id ${identity},
      database_connection_id ${reference} not null references database_connections (id) on delete cascade,
      username ${text} not null,
      privileges ${text} not null,
      created_by ${text},
      created_at ${text} not null,
      unique (database_connection_id, username)
    ) ${options}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
