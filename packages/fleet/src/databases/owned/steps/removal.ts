import { type Step, stepList } from '@fleet/steps'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { dropDatabase } from '#/databases/owned/drop-database.ts'
import { deleteAttachmentsTo } from '#/databases/owned/queries.ts'
import type { DropsSpares } from '#/databases/ports.ts'
import { deleteConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import type { AdminDeps } from '#/databases/servers/admin.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { spareOwner } from '#/databases/target.ts'
import type { ConnectionDependents } from '#/processes/api.ts'

export interface DatabaseRemoval {
  readonly deps: AdminDeps & {
    readonly store: Store
    readonly dependents: Pick<ConnectionDependents, 'forget'>
    readonly engines: DropsSpares
  }
  readonly call: Call
  readonly server: ServerRecord
  readonly record: ConnectionRecord
  /** Names of the databases that it has dropped. */
  dropped: readonly string[]
}

const drop: Step<DatabaseRemoval> = {
  name: 'drop',
  run: async (removal) => {
    const { deps, call, server, record } = removal
    deps.engines.access.drop(spareOwner(record))
    removal.dropped = await dropDatabase(deps, call, server, record)
  },
}

const row: Step<DatabaseRemoval> = {
  name: 'record',
  run: ({ deps: { store, dependents }, record: { id, slug } }) =>
    store.transaction(async (db) => {
      await deleteAttachmentsTo(db, slug)
      await dependents.forget(db, slug)
      await deleteConnection(db, id)
    }),
}

/** A failed drop keeps the record, and the identical request drops what is left (DBS-049). */
export const databaseRemoval = stepList<DatabaseRemoval>('owned-database-removal', [drop, row], {
  forwardOnly: true,
})
