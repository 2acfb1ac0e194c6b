import type { Database } from '@fleet/store'
import type { CheckoutAt } from '#/instances/api.ts'
import { movedPath } from '#/moved-path.ts'

/** Records of SQLite files in a checkout name its next Node and path, in the transaction that moves it. */
export async function moveFiles(
  db: Database,
  { from, to }: { readonly from: CheckoutAt; readonly to: CheckoutAt },
): Promise<void> {
  const rows = await db
    .selectFrom('database_connections')
    .select(['id', 'path'])
    .where('driver', '=', 'sqlite')
    .where('node_id', '=', from.nodeId)
    .execute()
  for (const { id, path } of rows) {
    const moved = movedPath(path ?? '', { from: from.path, to: to.path })
    if (moved === undefined) continue
    await db
      .updateTable('database_connections')
      .set({ node_id: to.nodeId, path: moved })
      .where('id', '=', id)
      .execute()
  }
}
