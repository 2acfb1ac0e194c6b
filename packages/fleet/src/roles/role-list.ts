import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { listRoles, presentRole, requireNode } from '#/nodes/api.ts'

/** Every assignment, active or not, by role name (ROLE-015, ROLE-019). */
export const makeRoleList =
  (store: Store): Handler<'node:role:list'> =>
  async ({ input, found }) => {
    const node = found?.node ?? (await requireNode(store, input.node))
    return { data: (await listRoles(store.db, node.id)).map(presentRole) }
  }
