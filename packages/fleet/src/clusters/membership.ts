import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { attachTo, type MembershipDeps } from '#/clusters/node-attach.ts'
import { detachFrom } from '#/clusters/node-detach.ts'
import { requireCluster } from '#/clusters/locks.ts'
import { findCluster, findMemberNode, findStanding } from '#/clusters/queries.ts'
import { attachRefusal } from '#/clusters/rules.ts'

/** Membership in a Cluster, under its own guards (NODE-043). */
export interface ClusterMembership {
  /** Throws the attach refusals of Clusters for a Node as it is going to be. */
  requireAttachable(call: Call, clusterId: number, node: NodeRecord): Promise<void>
  /** Under the same guards; a member stays. The Node may still be `provisioning`. */
  attach(call: Call, clusterId: number, nodeId: number): Promise<void>
  /** Rolls back an attach of an enrollment that did not finish. */
  detach(call: Call, clusterId: number, nodeId: number): Promise<void>
  /** Takes a Node that is being removed out of its Cluster's Router rules (step `router-lan-ingress`). */
  withdrawLanAccess(call: Call, node: NodeRecord): Promise<void>
  /** Step 6: Router LAN access of the Node's Cluster. */
  updateLanAccess(call: Call, node: NodeRecord): Promise<void>
  /** Top-level domain of the Node's active Cluster, or null. */
  tldOf(node: NodeRecord): Promise<string | null>
}

/**
 * Membership as enrolment and removal of a Node need it: under the guards of the operations, for a Node that may still be
 * `provisioning`.
 */
export const makeMembership = (deps: MembershipDeps): ClusterMembership => ({
  requireAttachable: async (_call, clusterId, { id, name, cluster_id, lan_ip, tld, wireguard_ip }) => {
    if (cluster_id === clusterId) return
    const cluster = await requireCluster(deps.store, clusterId)
    const facts = { id, name, cluster_id, lan_ip, tld, wireguard_ip, routerStatus: null, hasIngress: false }
    const refusal = attachRefusal(cluster, { ...facts, status: 'active' })
    if (refusal) throw fail(refusal, { details: { node: { id, name } } })
  },
  attach: async (call, clusterId, nodeId) =>
    void (await attachTo(deps, call, { clusterId, nodeId, mayBeEnrolling: true })),
  detach: async (call, clusterId, nodeId) => {
    const cluster = await findCluster(deps.store.db, clusterId)
    if (cluster?.members.some(({ id }) => id === nodeId)) await detachFrom(deps, call, clusterId, nodeId)
  },
  withdrawLanAccess: async (call, node) => {
    const clusterId = await clusterOf(deps, node)
    if (clusterId !== null) await deps.lan.converge(call, { clusterId, node, isMember: false })
  },
  updateLanAccess: async (call, node) => {
    const clusterId = await clusterOf(deps, node)
    if (clusterId !== null) await deps.lan.converge(call, { clusterId, node })
  },
  tldOf: async ({ cluster_id }) => {
    const cluster = cluster_id === null ? undefined : await findStanding(deps.store.db, cluster_id)
    return cluster?.state === 'active' ? cluster.tld : null
  },
})

/** As stored: the record of a Node in work may be older than its membership. */
const clusterOf = async ({ store }: MembershipDeps, { id }: NodeRecord): Promise<number | null> =>
  (await findMemberNode(store.db, id))?.cluster_id ?? null
