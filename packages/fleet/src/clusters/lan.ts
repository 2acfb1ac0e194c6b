import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import * as z from 'zod'
import { isPostponed, type Withdrawal, withdrawingLater } from '#/clusters/grace.ts'
import type { ClusterLan } from '#/clusters/ports.ts'
import { findMemberNode, listWorkOf } from '#/clusters/queries.ts'
import type { MemberRecord } from '#/clusters/record.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

export interface LanDeps {
  readonly store: Store
  readonly clock: Clock
  readonly lan: ClusterLan
}

const SETTLE = 'cluster:settle-lan-access'
const payload = z.strictObject({ cluster_id: z.int(), node_id: z.int() })

const settlementOf = (clusterId: number, nodeId: number): Withdrawal => ({
  kind: SETTLE,
  key: `${clusterId}:${nodeId}`,
  payload: { cluster_id: clusterId, node_id: nodeId },
})

/**
 * Lets a Node join or leave: once its names lead elsewhere for everybody, the rules on the LAN become those of the records, however
 * the request ended. Until then the earlier Router still reaches it.
 */
export async function settlingLan(
  deps: LanDeps,
  clusterId: number,
  { id, lan_ip }: Pick<MemberRecord, 'id' | 'lan_ip'>,
  change: () => Promise<void>,
): Promise<void> {
  if (lan_ip === null) return change()
  return withdrawingLater(deps, settlementOf(clusterId, id), change)
}

/** A Node that joins or leaves the Cluster, or did so and is not settled. */
export interface UnsettledMove {
  readonly clusterId: number
  readonly nodeId: number
}

/** Stored before anything is prepared for the move, so whoever reads them later misses none (decision 0371). */
export async function unsettledMoves(db: Database): Promise<readonly UnsettledMove[]> {
  const stored = await listWorkOf(db, SETTLE)
  return stored.map((one) => {
    const { cluster_id: clusterId, node_id: nodeId } = payload.parse(one)
    return { clusterId, nodeId }
  })
}

/**
 * Under the lock of the Cluster: none of its changes is between its preparation and its record. What another Cluster has prepared for
 * the Node stays (decision 0371).
 */
export const makeLanKinds = (deps: LanDeps): readonly WorkKind[] => [
  workKind({
    name: SETTLE,
    payload,
    run: (call, { cluster_id, node_id }) =>
      holding(deps.store, call, lockOf('cluster', cluster_id), async () => {
        const { store, lan } = deps
        if (await isPostponed(deps, settlementOf(cluster_id, node_id))) return
        const node = await findMemberNode(store.db, node_id)
        const isMember = node?.cluster_id === cluster_id
        if (node) await lan.converge(call, { clusterId: cluster_id, node, isMember })
      }),
  }),
]
