import type { Store } from '@fleet/store'
import { presentConnection } from '#/databases/present.ts'
import { listConnections } from '#/databases/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeList =
  ({ db }: Pick<Store, 'db'>): Handler<'database:list'> =>
  async () => ({ data: (await listConnections(db)).map(presentConnection) })
