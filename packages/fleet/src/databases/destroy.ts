import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { requireConnection } from '#/databases/locators.ts'
import { presentConnection } from '#/databases/present.ts'
import { deleteConnection } from '#/databases/queries.ts'
import type { Handler } from '#/handler.ts'

/** Removes the record alone (DB-033). */
export const makeDestroy =
  (store: Pick<Store, 'db'>): Handler<'database:destroy'> =>
  async ({ call, input, found }) => {
    const { id } = await requireConnection(store, input.slug, found)
    const removed = await deleteConnection(store.db, id)
    if (!removed) throw fail('database.not_found')
    call.event('database.deleted', { id: removed.id, slug: removed.slug })
    return { data: presentConnection(removed) }
  }
