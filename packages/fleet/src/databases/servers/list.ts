import type { Store } from '@fleet/store'
import { presentServer } from '#/databases/servers/present.ts'
import { countDatabases, listServers } from '#/databases/servers/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeServerList =
  ({ db }: Pick<Store, 'db'>): Handler<'database:server:list'> =>
  async () => {
    const counts = await countDatabases(db)
    return { data: (await listServers(db)).map((row) => presentServer(row, counts.get(row.id) ?? 0)) }
  }
