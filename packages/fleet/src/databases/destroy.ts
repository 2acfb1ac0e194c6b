import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { requireConnection } from '#/databases/locators.ts'
import { presentConnection } from '#/databases/present.ts'
import { requireDetached, requireUnnamed } from '#/databases/attachments/require-detached.ts'
import { deleteConnection, lockConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { leaveOnServer, leaveOnSilent, type Retained } from '#/databases/owned/leave.ts'
import { type Guard, removeFromServer } from '#/databases/owned/remove.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import type { ValuesDeps } from '#/databases/owned/users-by-values.ts'
import { isServerSilent } from '#/databases/servers/silent.ts'
import { serverSlugOf } from '#/databases/servers/slug-of.ts'
import { spareOwner } from '#/databases/target.ts'
import { unreachableOr } from '#/databases/unreachable.ts'
import type { Handler } from '#/handler.ts'

/**
 * Removes the record; a database that the fleet created on a server is dropped first (DB-032, DB-033), with `offline` when its Node
 * or the server is back if it does not answer now (decisions 0354 and 0366).
 */
export const makeDestroy =
  (deps: OwnedDeps & ValuesDeps): Handler<'database:destroy'> =>
  async ({ call, input, found }) => {
    const { store } = deps
    const known = await requireConnection(store, input.slug, found)
    const offline = input.offline ?? false
    call.note.property('offline', offline)
    if (known.server_id !== null) {
      await requireUnnamed(deps, known)
      const server = await serverSlugOf(store.db, known)
      const { retained, dropped } = await removeOnServer(deps, call, known, offline)
      const left = { retained_on_nodes: [...retained], dropped_databases: [...dropped] }
      return { data: { ...presentConnection(known, server), ...left } }
    }
    const removed = await store.transaction(async (db) => {
      const locked = await lockConnection(db, known.id)
      if (!locked) throw fail('database.not_found')
      await requireDetached(deps.dependents, db, locked)
      return (await deleteConnection(db, known.id)) ?? locked
    })
    deps.engines.access.drop(spareOwner(removed))
    call.event('database.deleted', { id: removed.id, slug: removed.slug })
    return { data: { ...presentConnection(removed), retained_on_nodes: [], dropped_databases: [] } }
  }

interface Removed {
  /** What stays on a Node that was skipped. */
  readonly retained: readonly Retained[]
  /** Names of the databases that are gone. */
  readonly dropped: readonly string[]
}

async function removeOnServer(
  deps: OwnedDeps,
  call: Call,
  known: ConnectionRecord,
  offline: boolean,
): Promise<Removed> {
  const guard: Guard = (db, record) => requireDetached(deps.dependents, db, record)
  const silent = offline ? await leaveOnSilent(deps, call, { known, guard }) : undefined
  const { retained, dropped } =
    silent === undefined
      ? await dropOrLeave(deps, call, { known, guard }, offline)
      : { retained: silent, dropped: [] }
  if (retained.length > 0) call.note.property('retained', retained)
  if (dropped.length > 0) call.note.property('dropped', dropped)
  return { retained, dropped }
}

/** With `offline`, what is on a server that does not answer stays there (decision 0366). */
async function dropOrLeave(
  deps: OwnedDeps,
  call: Call,
  { known, guard }: { readonly known: ConnectionRecord; readonly guard: Guard },
  offline: boolean,
): Promise<Removed> {
  try {
    return { retained: [], dropped: await removeFromServer(deps, call, known, guard) }
  } catch (error) {
    if (offline && isServerSilent(error))
      return { retained: await leaveOnServer(deps, call, { known, guard }), dropped: [] }
    throw unreachableOr(error, known.node_id === null ? undefined : await deps.nodes.find(known.node_id))
  }
}
