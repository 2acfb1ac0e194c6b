import type { Call } from '#/call.ts'
import { connectionById } from '#/databases/owned/queries.ts'
import { type DatabaseRemoval, databaseRemoval } from '#/databases/owned/steps/removal.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { inactive } from '#/databases/servers/admin.ts'
import { serverById } from '#/databases/servers/queries.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { performSteps } from '#/perform-steps.ts'

/** Drops a database on a server and deletes its record, with the mappings to it; `guard` may refuse first. */
export const removeFromServer = (
  deps: DatabaseRemoval['deps'],
  call: Call,
  { id, slug, server_id }: ConnectionRecord,
  guard: (record: ConnectionRecord) => Promise<void> = async () => undefined,
): Promise<void> =>
  holding(deps.store, call, lockOf('database', slug), async () => {
    const record = await connectionById(deps.store.db, id)
    const server = server_id === null ? undefined : await serverById(deps.store.db, server_id)
    if (!record || !server) return
    await guard(record)
    if (server.process_id === null) throw inactive(server)
    await performSteps(databaseRemoval, { deps, call, server, record }, { call })
    await call.publish('database.deleted', { id, slug })
  })
