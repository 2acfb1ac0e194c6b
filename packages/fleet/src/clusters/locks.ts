import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { findCluster, findMemberNode } from '#/clusters/queries.ts'
import type { ClusterRecord, MemberRecord } from '#/clusters/record.ts'
import { holding, lockOf } from '#/locks/api.ts'

/**
 * Runs the work on the fresh record while nobody else changes the Cluster. Its lease is renewed as long as the work
 * lasts (RTX-074). Throws `cluster.router_busy` after 30 s, or the rest of the request's time (RTE-186), and
 * `cluster.not_found`.
 */
export const holdingCluster = <T>(
  store: Store,
  call: Call,
  clusterId: number,
  work: (cluster: ClusterRecord) => Promise<T>,
): Promise<T> =>
  holding(store, call, lockOf('cluster', clusterId), async () => work(await requireCluster(store, clusterId)))

export async function requireCluster({ db }: Pick<Store, 'db'>, id: number): Promise<ClusterRecord> {
  const cluster = await findCluster(db, id)
  if (!cluster) throw fail('cluster.not_found')
  return cluster
}

export async function requireNode({ db }: Pick<Store, 'db'>, id: number): Promise<MemberRecord> {
  const node = await findMemberNode(db, id)
  if (!node) throw fail('node.not_found')
  return node
}
