import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { isRemoval, removalMark } from '#/databases/owned/pending.ts'
import { type DatabaseRemoval, databaseRemoval } from '#/databases/owned/steps/removal.ts'
import { movePending } from '#/databases/owned/queries.ts'
import { lockConnection, updateConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { inactive } from '#/databases/servers/admin.ts'
import { serverById } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { performSteps } from '#/perform-steps.ts'

export type Guard = (db: Database, record: ConnectionRecord) => Promise<void>

/**
 * Drops a database on a server and deletes its record, with the mappings to it; `guard` may refuse first. Answers the names of all
 * databases that it has dropped (DBS-049).
 */
export const removeFromServer = (
  deps: DatabaseRemoval['deps'],
  call: Call,
  { id, slug, server_id }: ConnectionRecord,
  guard: Guard = async () => undefined,
): Promise<readonly string[]> =>
  holding(deps.store, call, lockOf('database', slug), async () => {
    const { store } = deps
    const server = server_id === null ? undefined : await serverById(store.db, server_id)
    if (!server) return []
    const mark = removalMark(call)
    const record = await store.transaction((db) => begun(db, server, { id, mark }, guard))
    if (!record) return []
    const removal: DatabaseRemoval = { deps, call, server, record, dropped: [] }
    try {
      await performSteps(databaseRemoval, removal, { call })
    } catch (error) {
      await movePending(store.db, id, { from: mark, to: null })
      throw error
    }
    await call.publish('database.deleted', { id, slug })
    return removal.dropped
  })

/** From here on nobody can begin to use it: the guard would not see that. Undefined when it is gone. */
async function begun(
  db: Database,
  server: ServerRecord,
  { id, mark }: { readonly id: number; readonly mark: string },
  guard: Guard,
): Promise<ConnectionRecord | undefined> {
  const record = await lockConnection(db, id)
  if (!record) return undefined
  await guard(db, record)
  if (server.process_id === null) throw inactive(server)
  const isComplete = record.pending_step === null || isRemoval(record.pending_step)
  return isComplete ? updateConnection(db, id, { pending_step: mark }) : record
}
