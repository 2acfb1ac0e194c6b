import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** The Routers that serve a Route of a Cluster, each with the certificate that it presents. */
export async function routeRouters(
  db: Kysely<unknown>,
  { identity, reference, text, options }: ColumnTypes,
): Promise<void> {
  const statements = [
    sql`create table route_routers (
      id ${identity},
      route_id ${reference} not null references routes (id) on delete cascade,
      node_id ${reference} not null references nodes (id) on delete cascade,
      leaf_scope ${text} not null,
      has_site integer not null default 0 check (has_site in (0, 1)),
      unique (route_id, node_id)
    ) ${options}`,
    sql`create index route_routers_node on route_routers (node_id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
