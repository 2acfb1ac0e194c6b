import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Clusters. Their members are Nodes with a `cluster_id`, their Router the one among them with the active role. */
export async function clusters(db: Kysely<unknown>, { identity, text, options }: ColumnTypes): Promise<void> {
  await sql`create table clusters (
    id ${identity},
    name ${text} not null unique,
    tld ${text} unique,
    state ${text} not null check (state in ('inactive', 'active')),
    created_at ${text} not null
  ) ${options}`.execute(db)
  await sql`create index nodes_cluster on nodes (cluster_id)`.execute(db)
}
