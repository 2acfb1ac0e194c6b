import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { findNode, identityOf } from '#/nodes/api.ts'
import { listAssignments } from '#/roles/queries.ts'

/**
 * Runs the work while the Cluster of the Node neither changes nor gets another ingress (ROLE-008). Throws
 * `cluster.membership_missing` for a Node without a Cluster, `node.role_conflict` and `cluster.router_busy`.
 */
export async function asOnlyIngress<T>(
  store: Store,
  call: Call,
  nodeId: number,
  work: () => Promise<T>,
): Promise<T> {
  const clusterId = await clusterOrRefuse(store, nodeId)
  return holding(store, call, lockOf('cluster', clusterId), async () => {
    // It may have changed while this waited.
    await requireAlone(store, nodeId, await clusterOrRefuse(store, nodeId))
    return work()
  })
}

async function clusterOrRefuse({ db }: Store, nodeId: number): Promise<number> {
  const node = await findNode(db, nodeId)
  if (!node) throw fail('node.not_found')
  if (node.cluster_id !== null) return node.cluster_id
  throw fail('cluster.membership_missing', {
    message: `An ingress is the public edge of a Cluster, and the Node ${node.name} is in none. Attach it first: \`fleet cluster:node:attach CLUSTER ${node.id}\`.`,
    details: { node: identityOf(node) },
  })
}

/** Also while the other one has failed: it may still have its ports open. */
async function requireAlone({ db }: Store, nodeId: number, clusterId: number): Promise<void> {
  const other = (await listAssignments(db)).find(
    ({ role, cluster_id, node_id }) => role === 'ingress' && cluster_id === clusterId && node_id !== nodeId,
  )
  const holder = other && (await findNode(db, other.node_id))
  if (!holder) return
  throw fail('node.role_conflict', {
    message: `The Node ${holder.name} is the ingress of this Cluster, which has only one. Remove that role first: \`fleet node:role:remove ${holder.id} ingress\`.`,
    details: { role: 'ingress', node: identityOf(holder) },
  })
}
