import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { requireConnection } from '#/databases/locators.ts'
import type { Handler } from '#/handler.ts'

/** A registered database is on no server of the fleet, and the fleet creates users nowhere else (DBS-017). */
export const makeUserCreate =
  (store: Pick<Store, 'db'>): Handler<'database:user:create'> =>
  async ({ input, found }) => {
    await requireConnection(store, input.slug, found)
    throw fail('database.server_required')
  }
