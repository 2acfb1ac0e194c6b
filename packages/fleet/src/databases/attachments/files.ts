import type { Store } from '@fleet/store'
import type { CheckoutAt } from '#/instances/api.ts'

/** Which Instances have a SQLite file as a database of theirs, by record. */
export interface FileUses {
  isAttached(instanceId: number, file: CheckoutAt): Promise<boolean>
  isShared(instanceId: number, file: CheckoutAt): Promise<boolean>
}

export const makeFileUses = ({ db }: Pick<Store, 'db'>): FileUses => ({
  isAttached: async (instanceId, file) => (await usersOf(db, file)).has(instanceId),
  isShared: async (instanceId, file) => [...(await usersOf(db, file))].some((id) => id !== instanceId),
})

async function usersOf(db: Store['db'], { nodeId, path }: CheckoutAt): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('database_connections')
    .leftJoin('database_attachments', 'database_attachments.slug', 'database_connections.slug')
    .select(['database_connections.owner_instance_id', 'database_attachments.instance_id'])
    .where('database_connections.driver', '=', 'sqlite')
    .where('database_connections.node_id', '=', nodeId)
    .where('database_connections.path', '=', path)
    .execute()
  return new Set(rows.flatMap((row) => [row.owner_instance_id, row.instance_id]).filter((id) => id !== null))
}
