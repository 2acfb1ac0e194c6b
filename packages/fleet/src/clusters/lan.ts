import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import * as z from 'zod'
import type { ClusterLan } from '#/clusters/ports.ts'
import { findMemberNode } from '#/clusters/queries.ts'
import type { MemberRecord } from '#/clusters/record.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

/** Resolvers keep an answer for 30 s (RTX-043, RTX-106). */
export const ANSWER_GRACE_MILLISECONDS = 31_000

export interface LanDeps {
  readonly store: Store
  readonly clock: Clock
  readonly lan: ClusterLan
}

const SETTLE = 'cluster:settle-lan-access'
const payload = z.strictObject({ cluster_id: z.int(), node_id: z.int() })

/**
 * Stored before a Node joins or leaves: once its names lead elsewhere for everybody, the rules on the LAN become those of the
 * records, however the request ended. Until then the earlier Router still reaches it.
 */
export async function settleLanLater(
  { store, clock }: LanDeps,
  clusterId: number,
  { id, lan_ip }: Pick<MemberRecord, 'id' | 'lan_ip'>,
): Promise<void> {
  if (lan_ip === null) return
  await store.work.add({
    kind: SETTLE,
    key: `${clusterId}:${id}`,
    payload: { cluster_id: clusterId, node_id: id },
    dueAt: new Date(clock.now().getTime() + ANSWER_GRACE_MILLISECONDS),
  })
}

/** Under the lock of the Cluster: none of its changes is between its preparation and its record. */
export const makeLanKinds = ({ store, lan }: LanDeps): readonly WorkKind[] => [
  workKind({
    name: SETTLE,
    payload,
    run: (call, { cluster_id, node_id }) =>
      holding(store, call, lockOf('cluster', cluster_id), async () => {
        const node = await findMemberNode(store.db, node_id)
        const isMember = node?.cluster_id === cluster_id
        if (node) await lan.converge(call, { clusterId: cluster_id, node, isMember })
      }),
  }),
]
