import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { requireConnection } from '#/databases/locators.ts'
import { presentConnection } from '#/databases/present.ts'
import { requireDetached } from '#/databases/attachments/require-detached.ts'
import { deleteConnection, lockConnection } from '#/databases/queries.ts'
import type { Handler } from '#/handler.ts'

/** Removes the record alone (DB-033). */
export const makeDestroy =
  (store: Pick<Store, 'db' | 'transaction'>): Handler<'database:destroy'> =>
  async ({ call, input, found }) => {
    const { id } = await requireConnection(store, input.slug, found)
    const removed = await store.transaction(async (db) => {
      const locked = await lockConnection(db, id)
      if (!locked) throw fail('database.not_found')
      await requireDetached(db, locked)
      return (await deleteConnection(db, id)) ?? locked
    })
    call.event('database.deleted', { id: removed.id, slug: removed.slug })
    return { data: presentConnection(removed) }
  }
