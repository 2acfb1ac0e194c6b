import type { Store } from '@fleet/store'
import { requireCluster } from '#/clusters/locks.ts'
import { presentCluster } from '#/clusters/present.ts'
import type { Handler } from '#/handler.ts'

export const makeShow =
  (store: Store): Handler<'cluster:show'> =>
  async ({ input, found }) => ({
    data: presentCluster(found?.cluster ?? (await requireCluster(store, input.cluster))),
  })
