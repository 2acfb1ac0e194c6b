import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** How far a Route is on its way to the public, and back. */
export async function routeEdge(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table routes add column edge_step ${text}
    check (edge_step in ('public-activated', 'ingress-firewall', 'public-withdrawn'))`.execute(db)
}
