import { fail } from '@fleet/contract'
import type { Database, Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { cutOver, requireFollowingRoutes } from '#/clusters/cutover.ts'
import { type LanDeps, settlingLan } from '#/clusters/lan.ts'
import { holdingCluster, requireCluster, requireNode } from '#/clusters/locks.ts'
import type { ClusterRoutes } from '#/clusters/ports.ts'
import { presentCluster } from '#/clusters/present.ts'
import { joinCluster, leaveCluster } from '#/clusters/queries.ts'
import type { ClusterRecord, MemberRecord } from '#/clusters/record.ts'
import { attachRefusal } from '#/clusters/rules.ts'
import type { Handler } from '#/handler.ts'
import { type Nodes, publishNode } from '#/nodes/api.ts'

/** In an active Cluster the Routes of the Node move before it is a member (CLU-007, CLU-018 to CLU-020). */
export const makeNodeAttach =
  (deps: MembershipDeps, nodes: Pick<Nodes, 'find'>): Handler<'cluster:node:attach'> =>
  async ({ call, input, found }) => {
    const { cluster: clusterId, node: nodeId } = input
    const before = found?.node ?? (await nodes.find(nodeId))
    const data = presentCluster(await attachTo(deps, call, { clusterId, nodeId }))
    if (before?.cluster_id !== clusterId) await publishNode(deps.store.db, call, nodeId)
    return { data }
  }

export interface MembershipDeps extends LanDeps {
  readonly routes: ClusterRoutes
}

interface Attachment {
  readonly clusterId: number
  readonly nodeId: number
  /** A Node that is being enrolled joins before it is active. */
  readonly mayBeEnrolling?: boolean
}

/** A member stays. Throws the refusals of `attachRefusal`, `cluster.not_found`, `node.not_found` and those of the cutover. */
export const attachTo = (
  deps: MembershipDeps,
  call: Call,
  { clusterId, nodeId, mayBeEnrolling = false }: Attachment,
): Promise<ClusterRecord> =>
  holdingCluster(deps.store, call, clusterId, async (before) => {
    const { store, routes, lan } = deps
    const node = await requireNode(store, nodeId)
    call.note.target(node.id)
    if (node.cluster_id === before.id) return before
    requireAttachable(before, mayBeEnrolling ? { ...node, status: 'active' } : node)
    const after = { ...before, members: [...before.members, { ...node, cluster_id: before.id }] }
    const write = (db: Database): Promise<void> => join({ db }, before, node)
    const restore = (db: Database): Promise<void> => leaveCluster(db, node.id, before.id)
    await requireFollowingRoutes(routes, { before, after })
    await settlingLan(deps, clusterId, node, async () => {
      // The Router is admitted before the first request is led through it.
      await lan.converge(call, { clusterId, node, isMember: true })
      await cutOver({ store, routes }, call, { before, after, write, restore })
    })
    return requireCluster(store, before.id)
  })

function requireAttachable(cluster: ClusterRecord, node: MemberRecord): void {
  const refusal = attachRefusal(cluster, node)
  if (refusal) throw fail(refusal, { details: { node: { id: node.id, name: node.name } } })
}

async function join(store: Pick<Store, 'db'>, cluster: ClusterRecord, node: MemberRecord): Promise<void> {
  if (await joinCluster(store.db, node.id, cluster.id)) return
  await requireNode(store, node.id)
  // Another Cluster, whose lock is not this one's, was faster.
  throw fail('cluster.membership_conflict', { details: { node: { id: node.id, name: node.name } } })
}
