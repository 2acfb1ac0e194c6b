import { fail } from '@fleet/contract'
import { holdingCluster, requireCluster } from '#/clusters/locks.ts'
import { presentCluster } from '#/clusters/present.ts'
import type { ClusterRecord, MemberRecord } from '#/clusters/record.ts'
import { changeRouter, type RouterDeps } from '#/clusters/router-steps.ts'
import type { Handler } from '#/handler.ts'

/**
 * The identical request finishes what an interrupted one began: the candidate first, then what it replaced (CLU-009, CLU-022). What
 * is the Router already gets back what its machine lacks, for no role operation touches it (ROLE-009).
 */
export const makeRouterSet =
  (deps: RouterDeps): Handler<'cluster:router:set'> =>
  async ({ call, input }) =>
    holdingCluster(deps.store, call, input.cluster, async (cluster) => {
      const member = requireCandidate(cluster, input.node)
      call.note.target(member.id)
      const isRouter = member.routerStatus === 'active'
      const roles = isRouter ? { staying: member } : { candidate: member }
      const leaving = cluster.members.filter(
        ({ id, routerStatus }) => id !== member.id && routerStatus !== null,
      )
      await changeRouter({ deps, call, cluster, ...roles, leaving, isReplaced: true })
      return { data: presentCluster(await requireCluster(deps.store, cluster.id)) }
    })

function requireCandidate({ members }: ClusterRecord, nodeId: number): MemberRecord {
  const member = members.find(({ id }) => id === nodeId)
  if (member?.status !== 'active') throw fail('cluster.router_node_invalid')
  return member
}
