import type { EventData } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { RESERVED } from '#/databases/owned/pending.ts'
import { deleteAttachmentsTo, insertResidue } from '#/databases/owned/queries.ts'
import type { Guard } from '#/databases/owned/remove.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { deleteConnection, listUsers, lockConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { serverById } from '#/databases/servers/queries.ts'
import { spareOwner } from '#/databases/target.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { type NodeRecord, sessionUnlessOffline } from '#/nodes/api.ts'

export type Deleted = EventData<'database.deleted'>

/** A database on a server of a Node that was skipped. */
export interface Retained {
  readonly node_id: number
  readonly node: string
  readonly database: string
}

/** What is removed, and what may refuse that first. */
interface Leaving {
  readonly known: ConnectionRecord
  readonly guard: Guard
}

/**
 * Removes the record alone, and records what stays on the server, when its Node is not active or does not answer (decision 0354).
 * Undefined, and nothing has changed, for one that answers.
 */
export const leaveOnSilent = (
  deps: OwnedDeps,
  call: Call,
  leaving: Leaving,
): Promise<readonly Retained[] | undefined> =>
  leaveIf(deps, call, leaving, async (node) => !(await sessionUnlessOffline(deps.nodes, call, node, true)))

/** The same for a server that does not answer on a Node that does. */
export const leaveOnServer = async (
  deps: OwnedDeps,
  call: Call,
  leaving: Leaving,
): Promise<readonly Retained[]> => (await leaveIf(deps, call, leaving, async () => true)) ?? []

const leaveIf = (
  deps: OwnedDeps,
  call: Call,
  { known: { id, slug, server_id }, guard }: Leaving,
  isSilent: (node: NodeRecord) => Promise<boolean>,
): Promise<readonly Retained[] | undefined> =>
  holding(deps.store, call, lockOf('database', slug), async () => {
    const { store, nodes } = deps
    const server = server_id === null ? undefined : await serverById(store.db, server_id)
    const node = server && (await nodes.find(server.node_id))
    if (!node || !(await isSilent(node))) return undefined
    call.note.target(node.id)
    const left = await store.transaction(async (db) => {
      const record = await lockConnection(db, id)
      if (!record) return undefined
      await guard(db, record)
      await leaveBehind(deps, db, record)
      return record
    })
    if (!left) return []
    await call.publish('database.deleted', { id, slug })
    return hasBegun(left) ? [{ node_id: node.id, node: node.name, database: left.database_name }] : []
  })

/** In the transaction of a removal: the record goes, and what of it is on a server becomes a residue there. */
export async function leaveBehind(
  { clock, dependents, engines }: OwnedDeps,
  tx: Database,
  record: ConnectionRecord,
): Promise<Deleted> {
  const { id, slug, server_id, test_database, username } = record
  if (server_id !== null && hasBegun(record)) {
    const { database_name } = record
    const created_users = (await listUsers(tx, id)).map((user) => user.username)
    const created_at = clock.now().toISOString()
    await insertResidue(tx, { server_id, database_name, test_database, username, created_users, created_at })
  }
  await deleteAttachmentsTo(tx, slug)
  await dependents.forget(tx, slug)
  await deleteConnection(tx, id)
  engines.access.drop(spareOwner({ id }))
  return { id, slug }
}

/** What is there under the names of one that is only reserved is somebody else's. */
const hasBegun = (
  record: ConnectionRecord,
): record is ConnectionRecord & { readonly database_name: string } =>
  record.database_name !== null && record.pending_step !== RESERVED
