import type { Store } from '@fleet/store'
import { presentConnection } from '#/databases/present.ts'
import { listConnections } from '#/databases/queries.ts'
import { listServers } from '#/databases/servers/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeList =
  ({ db }: Pick<Store, 'db'>): Handler<'database:list'> =>
  async () => {
    const slugs = new Map((await listServers(db)).map(({ id, slug }) => [id, slug]))
    const rows = await listConnections(db)
    return { data: rows.map((row) => presentConnection(row, slugs.get(row.server_id ?? 0))) }
  }
