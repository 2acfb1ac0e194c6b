import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { cutOver, requireFollowingRoutes } from '#/clusters/cutover.ts'
import { holdingCluster } from '#/clusters/locks.ts'
import { settlingLan } from '#/clusters/lan.ts'
import type { MembershipDeps } from '#/clusters/node-attach.ts'
import { presentCluster } from '#/clusters/present.ts'
import { joinCluster, leaveCluster } from '#/clusters/queries.ts'
import type { ClusterRecord, MemberRecord } from '#/clusters/record.ts'
import { detachRefusal } from '#/clusters/rules.ts'
import type { Handler } from '#/handler.ts'
import { publishNode } from '#/nodes/api.ts'

/** The Routes of the Node return to it before it leaves (CLU-008, CLU-021). `force` is consent and skips nothing. */
export const makeNodeDetach =
  (deps: MembershipDeps): Handler<'cluster:node:detach'> =>
  async ({ call, input }) => {
    const data = presentCluster(await detachFrom(deps, call, input.cluster, input.node))
    await publishNode(deps.store.db, call, input.node)
    return { data }
  }

/** Throws the refusals of `detachRefusal`, `cluster.membership_missing` and those of the cutover. */
export const detachFrom = (
  deps: MembershipDeps,
  call: Call,
  clusterId: number,
  nodeId: number,
): Promise<ClusterRecord> =>
  holdingCluster(deps.store, call, clusterId, async (before) => {
    const { store, routes } = deps
    call.note.target(nodeId)
    const node = requireDetachable(before, nodeId)
    const { id } = node
    const after = { ...before, members: before.members.filter((member) => member.id !== id) }
    const write = (db: Database): Promise<void> => leaveCluster(db, id, before.id)
    const restore = async (db: Database): Promise<void> => void (await joinCluster(db, id, before.id))
    await requireFollowingRoutes(routes, { before, after })
    await settlingLan(deps, clusterId, node, () =>
      cutOver({ store, routes }, call, { before, after, write, restore }),
    )
    return after
  })

function requireDetachable(cluster: ClusterRecord, nodeId: number): MemberRecord {
  const member = cluster.members.find(({ id }) => id === nodeId)
  if (!member) throw fail('cluster.membership_missing')
  const refusal = detachRefusal(cluster, member)
  if (refusal) throw fail(refusal, { details: { node: { id: member.id, name: member.name } } })
  return member
}
