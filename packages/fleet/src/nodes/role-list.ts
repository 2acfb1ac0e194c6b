import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { requireNode } from '#/nodes/locks.ts'
import { presentRole } from '#/nodes/present.ts'
import { listRoles } from '#/nodes/queries.ts'

/** Every assignment, active or not, by role name (ROLE-015, ROLE-019). */
export const makeRoleList =
  (store: Store): Handler<'node:role:list'> =>
  async ({ input }) => {
    const node = await requireNode(store, input.node)
    return { data: (await listRoles(store.db, node.id)).map(presentRole) }
  }
