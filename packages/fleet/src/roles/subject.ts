import { fail, type RoleName } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import {
  findNode,
  findRolesBeside,
  identityOf,
  type NodeSession,
  type Sessions,
  type NodeRecord,
} from '#/nodes/api.ts'
import type { RoleDeps } from '#/roles/converge.ts'
import type { RoleContext } from '#/roles/rules.ts'

/** What the operations on roles are made of. */
export interface RoleOperationDeps extends RoleDeps {
  readonly sessions: Sessions
}

/** The fresh record of a Node whose roles may change. Throws `node.not_found` and `node.not_active` (NODE-024). */
export const requireActive = async (db: Database, nodeId: number): Promise<NodeRecord> =>
  activeOrRefuse(await findNode(db, nodeId))

/** Throws `node.not_found` and `node.not_active`. */
export function activeOrRefuse(node: NodeRecord | undefined): NodeRecord {
  if (!node) throw fail('node.not_found')
  if (node.status !== 'active') throw fail('node.not_active', { details: { node: identityOf(node) } })
  return node
}

/** The way onto a Node of a fleet that has a private network. Throws `node.capability_missing` for any other. */
export async function requireSession(
  { services, sessions }: RoleOperationDeps,
  call: Call,
  node: NodeRecord,
): Promise<NodeSession> {
  await services.tunnel.requireConfigured()
  return sessions.overTunnel(call, node)
}

/** Every assignment of the Node, and what others hold of this role. */
export async function roleContextOf(db: Database, nodeId: number, role: RoleName): Promise<RoleContext> {
  const rows = await findRolesBeside(db, nodeId, role)
  const names = (isHere: boolean): RoleName[] =>
    rows.filter((row) => (row.node_id === nodeId) === isHere).map((row) => row.role)
  return { onNode: names(true), elsewhere: names(false) }
}

/** Runs what must not fail the request; true when it succeeded. */
export async function succeeds(call: Call, what: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch {
    call.log(`${what} failed`)
    return false
  }
}
