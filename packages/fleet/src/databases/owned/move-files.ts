import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import type { CheckoutAt } from '#/instances/api.ts'
import { movedPath } from '#/moved-path.ts'
import { type ConnectionDependents, followLater } from '#/processes/api.ts'

interface MoveDeps {
  readonly store: Pick<Store, 'work'>
  readonly clock: Clock
  readonly dependents: Pick<ConnectionDependents, 'of'>
}

/**
 * Records of SQLite files in a checkout name its next Node and path, in the transaction that moves it. Processes that depend on them
 * follow once it has moved.
 */
export const makeMoveFiles =
  (deps: MoveDeps) =>
  async (
    db: Database,
    { from, to }: { readonly from: CheckoutAt; readonly to: CheckoutAt },
  ): Promise<void> => {
    const rows = await db
      .selectFrom('database_connections')
      .select(['id', 'slug', 'path'])
      .where('driver', '=', 'sqlite')
      .where('node_id', '=', from.nodeId)
      .execute()
    for (const { id, slug, path } of rows) {
      const moved = movedPath(path ?? '', { from: from.path, to: to.path })
      if (moved === undefined) continue
      await db
        .updateTable('database_connections')
        .set({ node_id: to.nodeId, path: moved })
        .where('id', '=', id)
        .execute()
      if ((await deps.dependents.of(db, slug)).length > 0) await followLater(deps, db, { id, slug })
    }
  }
