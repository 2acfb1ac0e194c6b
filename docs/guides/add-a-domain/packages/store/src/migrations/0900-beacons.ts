import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Nodes that say that they are alive. */
export async function beacons(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { identity, reference, text, options } = types
  const table = sql`create table beacons (
    id ${identity},
    node_id ${reference} not null references nodes (id) on delete cascade,
    name ${text} not null,
    interval_seconds integer not null,
    status ${text} not null,
    unique (node_id, name)
  ) ${options}`
  await table.execute(db)
}
