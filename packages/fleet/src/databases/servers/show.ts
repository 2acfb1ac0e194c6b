import type { Store } from '@fleet/store'
import { presentConnection } from '#/databases/present.ts'
import { requireServer } from '#/databases/servers/locators.ts'
import { presentServer } from '#/databases/servers/present.ts'
import { databasesOf } from '#/databases/servers/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeServerShow =
  (store: Pick<Store, 'db'>): Handler<'database:server:show'> =>
  async ({ input, found }) => {
    const server = await requireServer(store, input.slug, found?.slug)
    const databases = await databasesOf(store.db, server.id)
    return {
      data: {
        ...presentServer(server, databases.length),
        databases: databases.map((row) => presentConnection(row, server.slug)),
      },
    }
  }
