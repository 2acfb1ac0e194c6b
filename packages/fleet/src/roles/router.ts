import { type StepFailure, stepList } from '@fleet/steps'
import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { MemberRecord, RouterServices } from '#/clusters/api.ts'
import {
  findNode,
  holdingRoles,
  identityOf,
  type NodeSession,
  type Nodes,
  type RoleStep,
} from '#/nodes/api.ts'
import { codeOf, performSteps } from '#/perform-steps.ts'
import { convergenceSteps } from '#/roles/converge.ts'
import type { LanAccess } from '#/firewall/api.ts'
import type { RouterSites } from '#/routes/api.ts'
import { isLastRole, removalSteps } from '#/roles/remove.ts'
import { requireSession, type RoleOperationParts } from '#/roles/subject.ts'

export interface RouterServiceParts extends RoleOperationParts {
  readonly nodes: Pick<Nodes, 'answers'>
  readonly sites: Pick<RouterSites, 'leaveBehind'>
  readonly lan: LanAccess
}

export interface RouterWork {
  readonly session: NodeSession
  readonly steps: readonly RoleStep[]
}

/** The assignment belongs to the Cluster, which records the step that failed (CLU-027). Every step may be repeated. */
export const routerServices = stepList<RouterWork>(
  'router-services',
  ({ session, steps }) =>
    steps.map(({ name, isOptional = false, run }) => ({ name, isOptional, run: () => run(session) })),
  { forwardOnly: true },
)

/** Fills the port of the Clusters: what the role `router` does on a Node, under the role lock of that. */
export const makeRouterServices = (parts: RouterServiceParts): RouterServices => ({
  requireCapable: async (call, member) =>
    parts.services.roles.requireCapable(await sessionOf(parts, call, member), 'router'),
  converge: (call, _clusterId, member) =>
    holdingRoles(parts.store, call, member.id, async () => {
      const session = await sessionOf(parts, call, member)
      await perform(await routerSteps(parts, session, 'converge'), 'converge')
    }),
  withdraw: (call, _clusterId, member) =>
    holdingRoles(parts.store, call, member.id, async () => {
      const session = await sessionOf(parts, call, member)
      // A dead Router never keeps its Cluster from another one.
      if (!(await parts.nodes.answers(call, session.node))) {
        await parts.sites.leaveBehind(session)
        const steps = [lanStep(parts, false)]
        return perform({ session, steps }, 'remove')
      }
      await perform(await routerSteps(parts, session, 'remove'), 'remove')
    }),
})

/** As for any other role: the first one closes public SSH, the last one opens it (NODE-066, ROLE-025). */
export async function routerSteps(
  parts: Pick<RouterServiceParts, 'store' | 'services' | 'lan'>,
  session: NodeSession,
  kind: 'converge' | 'remove',
): Promise<RouterWork> {
  if (kind === 'converge')
    return {
      session,
      steps: [
        ...convergenceSteps(parts.services, session, 'router', false),
        // Workloads admit it before a name leads to it.
        lanStep(parts, true),
      ],
    }
  const isLast = await isLastRole(parts, session.node.id, 'router')
  return {
    session,
    steps: [...removalSteps(parts, session, 'router', { isLast, purgeData: false }), lanStep(parts, false)],
  }
}

const lanStep = ({ lan }: Pick<RouterServiceParts, 'lan'>, isRouter: boolean): RoleStep => ({
  name: 'router-lan-access',
  run: async ({ call, node }) => {
    if (node.cluster_id === null) return
    await lan.converge(call, { clusterId: node.cluster_id, node, isRouter })
  },
})

async function sessionOf(
  parts: RouterServiceParts,
  call: Call,
  { id }: Pick<MemberRecord, 'id'>,
): Promise<NodeSession> {
  const node = await findNode(parts.store.db, id)
  if (!node) throw fail('node.not_found')
  return requireSession(parts, call, node)
}

const perform = async (work: RouterWork, kind: 'converge' | 'remove'): Promise<void> =>
  void (await performSteps(routerServices, work, {
    call: work.session.call,
    nameFor: (step) => `role:${step}`,
    errorOf: (failure) => errorOf(work.session, failure, kind),
  }))

const FAILED = { converge: 'node_role.convergence_failed', remove: 'node_role.remove_failed' } as const

const errorOf = ({ node }: NodeSession, { step, cause }: StepFailure, kind: 'converge' | 'remove'): Error =>
  fail(FAILED[kind], {
    details: { node: identityOf(node), role: 'router', step, error_code: codeOf(cause) },
    cause,
  })
