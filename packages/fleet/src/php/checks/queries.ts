import type { Database } from '@fleet/store'

/** Instances of the Node that are being made or removed: what PHP runs of them is on its way (DOC-025). */
export async function movingOn(db: Database, nodeId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('instances')
    .select('id')
    .where('node_id', '=', nodeId)
    .where((where) => where.or([where('status', '<>', 'active'), where('removal_status', 'is not', null)]))
    .execute()
  return new Set(rows.map(({ id }) => id))
}
