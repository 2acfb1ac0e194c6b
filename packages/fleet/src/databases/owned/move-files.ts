import type { DatabaseConnectionData } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import { presentConnection } from '#/databases/present.ts'
import { updateConnection } from '#/databases/queries.ts'
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
 * follow once it has moved. Answers the records that changed, of which nobody has been told (EV-044).
 */
export const makeMoveFiles =
  (deps: MoveDeps) =>
  async (
    db: Database,
    { from, to }: { readonly from: CheckoutAt; readonly to: CheckoutAt },
  ): Promise<readonly DatabaseConnectionData[]> => {
    const changed: DatabaseConnectionData[] = []
    const rows = await db
      .selectFrom('database_connections')
      .select(['id', 'slug', 'path'])
      .where('driver', '=', 'sqlite')
      .where('node_id', '=', from.nodeId)
      .orderBy('id')
      .execute()
    for (const { id, slug, path } of rows) {
      const moved = movedPath(path ?? '', { from: from.path, to: to.path })
      if (moved === undefined) continue
      const record = await updateConnection(db, id, { node_id: to.nodeId, path: moved })
      if (record) changed.push(presentConnection(record))
      if ((await deps.dependents.of(db, slug)).length > 0) await followLater(deps, db, { id, slug })
    }
    return changed
  }
