import { fail } from '@fleet/contract'
import { requireConnection } from '#/databases/locators.ts'
import { presentConnection } from '#/databases/present.ts'
import { requireDetached } from '#/databases/attachments/require-detached.ts'
import { deleteConnection, lockConnection } from '#/databases/queries.ts'
import { removeFromServer } from '#/databases/owned/remove.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { serverSlugOf } from '#/databases/servers/slug-of.ts'
import { spareOwner } from '#/databases/target.ts'
import type { Handler } from '#/handler.ts'

/** Removes the record; a database that the fleet created on a server is dropped first (DB-032, DB-033). */
export const makeDestroy =
  (deps: OwnedDeps): Handler<'database:destroy'> =>
  async ({ call, input, found }) => {
    const { store } = deps
    const known = await requireConnection(store, input.slug, found)
    if (known.server_id !== null) {
      const server = await serverSlugOf(store.db, known)
      await removeFromServer(deps, call, known, (db, record) => requireDetached(deps.dependents, db, record))
      return { data: presentConnection(known, server) }
    }
    const removed = await store.transaction(async (db) => {
      const locked = await lockConnection(db, known.id)
      if (!locked) throw fail('database.not_found')
      await requireDetached(deps.dependents, db, locked)
      return (await deleteConnection(db, known.id)) ?? locked
    })
    deps.engines.access.drop(spareOwner(removed))
    call.event('database.deleted', { id: removed.id, slug: removed.slug })
    return { data: presentConnection(removed) }
  }
