import type { Store } from '@fleet/store'
import { requireConnection } from '#/databases/locators.ts'
import { presentConnection } from '#/databases/present.ts'
import { countUsers } from '#/databases/queries.ts'
import { serverSlugOf } from '#/databases/servers/slug-of.ts'
import type { Handler } from '#/handler.ts'

export const makeShow =
  (store: Pick<Store, 'db'>): Handler<'database:show'> =>
  async ({ input, found }) => {
    const connection = await requireConnection(store, input.slug, found)
    const users_count = await countUsers(store.db, connection.id)
    const server = await serverSlugOf(store.db, connection)
    return { data: { ...presentConnection(connection, server), users_count } }
  }
