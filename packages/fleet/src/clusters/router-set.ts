import { fail } from '@fleet/contract'
import type { ClusterRecord, MemberRecord } from '#/clusters/api.ts'
import { holdingCluster, requireCluster } from '#/clusters/locks.ts'
import { presentCluster } from '#/clusters/present.ts'
import { promote, type RouterParts, withdraw } from '#/clusters/router-role.ts'
import type { Handler } from '#/handler.ts'

/** The identical request finishes what an interrupted one began: the candidate first, then what it replaced (CLU-009, CLU-022). */
export const makeRouterSet =
  (parts: RouterParts): Handler<'cluster:router:set'> =>
  async ({ call, input }) =>
    holdingCluster(parts.store, call, input.cluster, async (cluster, lock) => {
      const candidate = requireCandidate(cluster, input.node)
      call.note.target(candidate.id)
      const work = { call, lock, cluster }
      if (candidate.routerStatus !== 'active') await promote(parts, work, candidate)
      // Names lead to the new Router before the earlier one stops serving (CLU-026).
      await parts.routes.settle(call)
      const replaced = cluster.members.filter(
        ({ id, routerStatus }) => id !== candidate.id && routerStatus !== null,
      )
      await withdraw(parts, work, replaced)
      return { data: presentCluster(await requireCluster(parts.store, cluster.id)) }
    })

function requireCandidate({ members }: ClusterRecord, nodeId: number): MemberRecord {
  const member = members.find(({ id }) => id === nodeId)
  if (member?.status !== 'active') throw fail('cluster.router_node_invalid')
  return member
}
