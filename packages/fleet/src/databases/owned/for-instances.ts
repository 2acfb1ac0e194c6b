import type { Call } from '#/call.ts'
import type { Database } from '@fleet/store'
import { type Deleted, leaveBehind } from '#/databases/owned/leave.ts'
import { ownedBy } from '#/databases/owned/queries.ts'
import { removeFromServer } from '#/databases/owned/remove.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { isServerSilent } from '#/databases/servers/silent.ts'
import { silentCode } from '#/nodes/api.ts'

/** What the removal of an Instance does with its databases, under its operation lock (DB-031). */
export interface InstanceDatabases {
  /** Drops them. What is on a server that does not answer is recorded, and dropped when its Node converges. */
  remove(call: Call, instanceId: number): Promise<void>
  /** Deletes the records and records what stays on servers, in the transaction of the Instance's removal. */
  leaveBehind(tx: Database, call: Call, instanceId: number): Promise<void>
}

export const makeInstanceDatabases = (deps: OwnedDeps): InstanceDatabases => ({
  remove: async (call, instanceId) => {
    for (const record of await ownedBy(deps.store.db, instanceId))
      try {
        if (record.server_id !== null) await removeFromServer(deps, call, record)
        else await publishDeleted(call, await forget(deps, deps.store.db, record.id, instanceId))
      } catch (error) {
        if (silentCode(error) === undefined && !isServerSilent(error)) throw error
        const gone = await deps.store.transaction((tx) => forget(deps, tx, record.id, instanceId))
        await publishDeleted(call, gone)
      }
  },
  leaveBehind: async (tx, call, instanceId) => {
    for (const { id } of await ownedBy(tx, instanceId)) {
      const gone = await forget(deps, tx, id, instanceId)
      if (gone) call.event('database.deleted', gone)
    }
  },
})

const publishDeleted = async (call: Call, gone: Deleted | undefined): Promise<void> => {
  if (gone) await call.publish('database.deleted', gone)
}

/** The record of the Instance goes; a database on a server becomes a residue of it. */
async function forget(
  deps: OwnedDeps,
  tx: Database,
  id: number,
  instanceId: number,
): Promise<Deleted | undefined> {
  const record = (await ownedBy(tx, instanceId)).find((each) => each.id === id)
  return record && leaveBehind(deps, tx, record)
}
