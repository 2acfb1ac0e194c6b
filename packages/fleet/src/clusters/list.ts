import type { Store } from '@fleet/store'
import type { Caller } from '#/call.ts'
import { presentCluster } from '#/clusters/present.ts'
import { listClusters } from '#/clusters/queries.ts'
import type { ClusterRecord } from '#/clusters/record.ts'
import type { Handler } from '#/handler.ts'
import type { Nodes } from '#/nodes/api.ts'

/** By name: Clusters that the caller may show one by one (GW-009, CLU-011). */
export const makeList =
  ({ db }: Store, nodes: Nodes): Handler<'cluster:list'> =>
  async ({ call }) => {
    if (!call.caller) return { data: [] }
    const mayShow = await makeMayShow(nodes, call.caller)
    return { data: (await listClusters(db)).filter(mayShow).map(presentCluster) }
  }

async function makeMayShow(nodes: Nodes, caller: Caller): Promise<(cluster: ClusterRecord) => boolean> {
  const addressable = await nodes.addressable(caller)
  const hasGatewayGrant = await nodes.hasGatewayGrant(caller)
  return ({ members }) =>
    members.length === 0 ? hasGatewayGrant : members.every(({ id }) => addressable.has(id))
}
