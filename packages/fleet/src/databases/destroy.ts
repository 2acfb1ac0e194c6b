import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { requireConnection } from '#/databases/locators.ts'
import { presentConnection } from '#/databases/present.ts'
import { requireDetached } from '#/databases/attachments/require-detached.ts'
import { deleteConnection, lockConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { leaveOnSilent, type Retained } from '#/databases/owned/leave.ts'
import { type Guard, removeFromServer } from '#/databases/owned/remove.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { serverSlugOf } from '#/databases/servers/slug-of.ts'
import { spareOwner } from '#/databases/target.ts'
import { unreachableOr } from '#/databases/unreachable.ts'
import type { Handler } from '#/handler.ts'

/**
 * Removes the record; a database that the fleet created on a server is dropped first (DB-032, DB-033), with `offline` when its Node
 * is back if it does not answer now (decision 0354).
 */
export const makeDestroy =
  (deps: OwnedDeps): Handler<'database:destroy'> =>
  async ({ call, input, found }) => {
    const { store } = deps
    const known = await requireConnection(store, input.slug, found)
    const offline = input.offline ?? false
    call.note.property('offline', offline)
    if (known.server_id !== null) {
      const server = await serverSlugOf(store.db, known)
      const retained = await removeOnServer(deps, call, known, offline)
      return { data: { ...presentConnection(known, server), retained_on_nodes: [...retained] } }
    }
    const removed = await store.transaction(async (db) => {
      const locked = await lockConnection(db, known.id)
      if (!locked) throw fail('database.not_found')
      await requireDetached(deps.dependents, db, locked)
      return (await deleteConnection(db, known.id)) ?? locked
    })
    deps.engines.access.drop(spareOwner(removed))
    call.event('database.deleted', { id: removed.id, slug: removed.slug })
    return { data: { ...presentConnection(removed), retained_on_nodes: [] } }
  }

/** What stays on a Node that was skipped. */
async function removeOnServer(
  deps: OwnedDeps,
  call: Call,
  known: ConnectionRecord,
  offline: boolean,
): Promise<readonly Retained[]> {
  const guard: Guard = (db, record) => requireDetached(deps.dependents, db, record)
  const left = offline ? await leaveOnSilent(deps, call, known, guard) : undefined
  if (left) {
    call.note.property('retained', left)
    return left
  }
  try {
    await removeFromServer(deps, call, known, guard)
  } catch (error) {
    throw unreachableOr(error, known.node_id === null ? undefined : await deps.nodes.find(known.node_id))
  }
  return []
}
