import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Services by which others see that a Node is alive. */
export async function beacons(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await sql`create table beacons (
    id ${types.identity},
    node_id ${types.reference} not null references nodes (id) on delete cascade,
    name ${types.text} not null,
    interval_seconds integer not null,
    status ${types.text} not null,
    unique (node_id, name)
  ) ${types.options}`.execute(db)
}
