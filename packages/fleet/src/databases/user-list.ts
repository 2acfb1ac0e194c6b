import type { Store } from '@fleet/store'
import { requireConnection } from '#/databases/locators.ts'
import { presentUser } from '#/databases/present.ts'
import { listUsers } from '#/databases/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeUserList =
  (store: Pick<Store, 'db'>): Handler<'database:user:list'> =>
  async ({ input, found }) => {
    const { id } = await requireConnection(store, input.slug, found)
    return { data: (await listUsers(store.db, id)).map(presentUser) }
  }
