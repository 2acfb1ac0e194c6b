import type { InputOf, RoleName, RoleRelocationData } from '@fleet/contract'
import { isDeepStrictEqual } from 'node:util'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import {
  findHolders,
  findNode,
  findRole,
  listNodes,
  type NodeRecord,
  type NodeSession,
  presentNode,
  publishNode,
} from '#/nodes/api.ts'
import { requireFree } from '#/roles/claims.ts'
import { RESOLVER_UNSET } from '#/roles/converge.ts'
import { moveRole, requireRelocatable } from '#/roles/move.ts'
import { holdingBoth } from '#/roles/relocate-locks.ts'
import { type Move, moveOf } from '#/roles/relocation-rules.ts'
import {
  activeOrRefuse,
  requireActive,
  requireSession,
  type RoleOperationDeps,
  succeeds,
} from '#/roles/subject.ts'

type Input = InputOf<'node:role:relocate'>
type Moved = Pick<RoleRelocationData, 'from' | 'relocated' | 'follow_up'>

/** Moves a role that only one Node may hold (ROLE-034 to ROLE-041). `force` is consent of a client and skips no guard. */
export const makeRoleRelocate =
  (deps: RoleOperationDeps): Handler<'node:role:relocate'> =>
  async ({ call, input, found }) => {
    const { node: node_id, role, from } = input
    call.note.property('role', role)
    if (from !== undefined) call.note.property('from', from)
    const { db } = deps.store
    activeOrRefuse(found?.node ?? (await findNode(db, node_id)))
    await requireRelocatable(db, node_id, role)
    return { data: { node_id, role, ...(await relocate(deps, call, input)) } }
  }

/** Plans again where the role went to a third Node while the locks were taken. */
async function relocate(deps: RoleOperationDeps, call: Call, input: Input): Promise<Moved> {
  const seen = await plan(deps, input)
  if (seen.kind === 'none') return NOTHING
  return (await move(deps, call, input, seen)) ?? relocate(deps, call, input)
}

const NOTHING: Moved = { from: null, relocated: false, follow_up: null }

const plan = async ({ store }: RoleOperationDeps, { node, role, from }: Input): Promise<Move> =>
  moveOf({ role, target: node, from, holders: await findHolders(store.db, [role]) })

/** Undefined when it is to be planned again: the locks held are not those of the Node that has the role now. */
const move = (
  deps: RoleOperationDeps,
  call: Call,
  input: Input,
  seen: Exclude<Move, { readonly kind: 'none' }>,
): Promise<Moved | undefined> =>
  holdingBoth(deps.store, call, [input.node, seen.source.node_id], async () => {
    // Somebody may have completed it while the locks were taken.
    const now = await plan(deps, input)
    if (now.kind === 'none') return NOTHING
    if (now.source.node_id !== seen.source.node_id) return undefined
    call.note.property('from', now.source.node_id)
    const [target, source] = await sessionsOf(deps, call, input, now.source.node_id)
    let notes: readonly string[] = []
    const settleMove = async (): Promise<void> => {
      notes = await settle(deps, input.role, target, source)
    }
    await requireMovable(deps, input, target, now)
    try {
      await moveRole(deps, { role: input.role, target, source, move: now, settle: settleMove })
    } catch (error) {
      // What has moved stays, which subscribers see although the request fails.
      for (const { node } of [target, source]) await publishMoved(deps, call, node)
      throw error
    }
    for (const { node } of [target, source]) await publishNode(deps.store.db, call, node.id)
    return { from: source.node.id, relocated: true, follow_up: notes.join(' ') || null }
  })

async function publishMoved(
  { store }: RoleOperationDeps,
  call: Call,
  { id, activeRoles }: NodeRecord,
): Promise<void> {
  const node = await findNode(store.db, id)
  if (node && !isDeepStrictEqual(node.activeRoles, activeRoles))
    await call.publish('node.updated', presentNode(node))
}

async function sessionsOf(
  deps: RoleOperationDeps,
  call: Call,
  { node }: Input,
  source: number,
): Promise<readonly [NodeSession, NodeSession]> {
  const nodes = [
    await requireActive(deps.store.db, node),
    await requireActive(deps.store.db, source),
  ] as const
  return [await requireSession(deps, call, nodes[0]), await requireSession(deps, call, nodes[1])]
}

/** Nothing is stored before the services of the role are known to work on the target. */
async function requireMovable(
  { store, clock, services }: RoleOperationDeps,
  { node, role }: Input,
  target: NodeSession,
  move: Exclude<Move, { readonly kind: 'none' }>,
): Promise<void> {
  if (move.kind === 'whole') {
    requireFree(move.source, 'remove', clock)
    requireFree(await findRole(store.db, node, role), 'converge', clock)
  }
  await services.roles.requireCapable(target, role)
}

/** What did not come along, as sentences. It never fails a move that is done (ROLE-040). */
async function settle(
  deps: RoleOperationDeps,
  role: RoleName,
  target: NodeSession,
  source: NodeSession,
): Promise<readonly string[]> {
  if (role === 'gateway') return gatewayFollowUp(deps, target, source)
  return role === 'metrics' ? metricsFollowUp(deps, target) : []
}

/** NODE-132, ROLE-041. */
async function gatewayFollowUp(
  { services }: RoleOperationDeps,
  target: NodeSession,
  source: NodeSession,
): Promise<readonly string[]> {
  const agents = 'Converge the Nodes: until then their agents do not use the new gateway.'
  let isSet = true
  for (const session of [target, source]) {
    const isManaged = session === target || session.node.activeRoles.some((role) => role !== 'gateway')
    const apply = async () => void (await services.tunnel.applyResolver(session, isManaged))
    isSet = (await succeeds(session.call, 'resolver', apply)) && isSet
  }
  return isSet ? [agents] : [agents, RESOLVER_UNSET]
}

async function metricsFollowUp(
  { store, services }: RoleOperationDeps,
  { call }: NodeSession,
): Promise<readonly string[]> {
  const behind: string[] = []
  for (const node of await listNodes(store.db)) {
    if (node.status !== 'active' || node.activeRoles.length === 0) continue
    const isDone = await succeeds(call, 'metrics exporters', () => services.exporters.reconcile(call, node))
    if (!isDone) behind.push(node.name)
  }
  return behind.length === 0
    ? []
    : [`Metrics are not up to date on ${behind.join(', ')}; converge these Nodes.`]
}
