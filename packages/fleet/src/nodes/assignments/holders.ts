import { fail, type RoleName, type roleStatuses } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { findNode } from '#/nodes/queries.ts'
import { findHolders, findRole, type RoleRow } from '#/nodes/assignments/queries.ts'
import {
  changeRoleSettings,
  putRoleSettings,
  readRoleSettings,
  type RoleSettings,
} from '#/nodes/assignments/settings.ts'
import type { NodeRecord } from '#/nodes/record.ts'

/** A Node with a role, in whatever state, and what the role keeps to itself. */
export interface RoleHolder {
  /** Of the assignment. */
  readonly id: number
  readonly node: NodeRecord
  readonly status: (typeof roleStatuses)[number]
  /** Credentials among them: they never leave the gateway but for the Node that needs them (ROLE-033). */
  readonly settings: RoleSettings
}

/** What services of a role know of its holders. */
export interface RoleHolders {
  /** By Node id. */
  of(role: RoleName): Promise<readonly RoleHolder[]>
  /** Stores what is missing; what is stored stays. Throws `node.not_found` when the Node does not have the role. */
  ensureSettings(nodeId: number, role: RoleName, given: RoleSettings): Promise<RoleSettings>
  /** Replaces single settings, such as a port. Throws `node.not_found` when the Node does not have the role. */
  changeSettings(nodeId: number, role: RoleName, given: RoleSettings): Promise<void>
}

export const makeRoleHolders = (store: Store): RoleHolders => ({
  of: async (role) => {
    const holders: RoleHolder[] = []
    for (const row of await findHolders(store.db, [role])) {
      const node = await findNode(store.db, row.node_id)
      const status = row.status
      if (node) holders.push({ id: row.id, node, status, settings: readRoleSettings(store, row) })
    }
    return holders
  },
  ensureSettings: async (nodeId, role, given) => {
    const row = await requireRole(store, nodeId, role)
    await putRoleSettings(store, row, given)
    return { ...given, ...readRoleSettings(store, row) }
  },
  changeSettings: async (nodeId, role, given) =>
    changeRoleSettings(store, await requireRole(store, nodeId, role), given),
})

async function requireRole({ db }: Store, nodeId: number, role: RoleName): Promise<RoleRow> {
  const row = await findRole(db, nodeId, role)
  if (!row) throw fail('node.not_found')
  return row
}
