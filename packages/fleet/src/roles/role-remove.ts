import { fail, type InputOf } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import {
  findHolders,
  findRole,
  holdingRoles,
  listRoles,
  type NodeRecord,
  requireNode,
  type RoleRow,
  publishNode,
} from '#/nodes/api.ts'
import { requireFree } from '#/roles/claims.ts'
import { dropUnhosted, removeHeld, requireUnhosted } from '#/roles/remove.ts'
import { removalRefusal } from '#/roles/rules.ts'
import { activeOrRefuse, requireSession, type RoleOperationDeps, succeeds } from '#/roles/subject.ts'

type Input = InputOf<'node:role:remove'>

/** Takes a role away, on the machine and from the records, or with `offline` from the records alone (ROLE-017, ROLE-031). */
export const makeRoleRemove =
  (deps: RoleOperationDeps): Handler<'node:role:remove'> =>
  async ({ call, input, found }) => {
    call.note.property('role', input.role)
    const refusal = removalRefusal(input.role)
    if (refusal) throw refusal
    const follow_up = input.offline
      ? await removeOffline(deps, call, input, found?.node)
      : await removeOnline(deps, call, input)
    await publishNode(deps.store.db, call, input.node)
    return { data: { node_id: input.node, role: input.role, removed: true, follow_up } }
  }

const removeOnline = (deps: RoleOperationDeps, call: Call, input: Input): Promise<null> =>
  holdingRoles(deps.store, call, input.node, async () => {
    const node = await requireNode(deps.store, input.node)
    await requireRemovable(deps, input)
    activeOrRefuse(node)
    const session = await requireSession(deps, call, node)
    await removeHeld(deps, session, input.role, { purgeData: input.purge_data ?? false })
    return null
  })

/** Without the role lock: nothing on the machine changes, and whoever holds the lock may be waiting for a dead machine. */
async function removeOffline(
  deps: RoleOperationDeps,
  call: Call,
  input: Input,
  found: NodeRecord | undefined,
): Promise<string> {
  if (!found) await requireNode(deps.store, input.node)
  const row = await requireRemovable(deps, input)
  await dropUnhosted(deps, row)
  const isPublished = await succeeds(call, 'private DNS', () => deps.services.dns.publish(call))
  const rest = `Everything that the role ${input.role} installed is still on the machine.`
  const ssh = (await hasRoles(deps, input.node)) ? '' : ' Its public SSH stays closed.'
  return (
    rest +
    ssh +
    (isPublished ? '' : ' The private DNS still returns its address; converge the vpn Node with `--force`.')
  )
}

/** Throws `node_role.not_found`, `node_role.in_use`, `node_role.converging` and `node_role.removing` (ROLE-029). */
async function requireRemovable(deps: RoleOperationDeps, { node, role }: Input): Promise<RoleRow> {
  const row = await findRole(deps.store.db, node, role)
  if (!row) throw fail('node_role.not_found', { details: { role } })
  await requireUnused(deps, row)
  requireFree(row, 'remove', deps.clock)
  return row
}

/** Before anything is asked of the Node; what it hosts is asked again when the assignment is taken. */
async function requireUnused(deps: RoleOperationDeps, row: RoleRow): Promise<void> {
  const { store, services } = deps
  const { role, node_id } = row
  await store.transaction((db) => requireUnhosted(deps, db, row))
  if (role === 'ingress') {
    const domains = await services.owned.publicDomains(node_id)
    if (domains.length > 0) throw neededByPublic(domains)
  }
  if (role === 'gateway') {
    // Without any gateway Node nobody could address the gateway again, so the role is moved, never dropped.
    const holders = (await findHolders(store.db, ['gateway'])).filter(({ status }) => status === 'active')
    if (holders.every((holder) => holder.id === row.id))
      throw fail('node_role.in_use', { details: { role, reason: 'only_gateway' } })
  }
}

/** The Routes may stay: it is enough that they are private. */
const neededByPublic = (routes: readonly string[]): Error =>
  fail('node_role.in_use', {
    message: `The ingress serves the public Routes that \`details\` name. Make each private first: \`fleet route:update ${routes[0]} --publication private\`.`,
    details: { role: 'ingress', reason: 'public_routes_attached', routes },
  })

const hasRoles = async ({ store }: RoleOperationDeps, nodeId: number): Promise<boolean> =>
  (await listRoles(store.db, nodeId)).length > 0
