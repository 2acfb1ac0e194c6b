import { CodedError } from '@fleet/kernel'
import { type StepFailure, stepList } from '@fleet/steps'
import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { MemberRecord, RouterServices } from '#/clusters/api.ts'
import { findNode, holdingRoles, type NodeSession, type Nodes, type RoleStep } from '#/nodes/api.ts'
import { endsRequest, performSteps } from '#/perform-steps.ts'
import { convergenceSteps } from '#/roles/converge.ts'
import type { LanAccess } from '#/firewall/api.ts'
import type { RouterSites } from '#/routes/api.ts'
import { isLastRole, removalSteps } from '#/roles/remove.ts'
import { roleFailure } from '#/roles/role-steps.ts'
import { requireSession, type RoleOperationDeps } from '#/roles/subject.ts'

export interface RouterServiceDeps extends RoleOperationDeps {
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
    steps.map(({ name, isOptional = false, run }) => ({
      name,
      isOptional,
      run: async () => void (await run(session)),
    })),
  { forwardOnly: true },
)

/** Fills the port of the Clusters: what the role `router` does on a Node, under the role lock of that. */
export const makeRouterServices = (deps: RouterServiceDeps): RouterServices => ({
  requireCapable: async (call, member) =>
    deps.services.roles.requireCapable(await sessionOf(deps, call, member), 'router'),
  converge: (call, _clusterId, member) =>
    holdingRoles(deps.store, call, member.id, async () => {
      const session = await sessionOf(deps, call, member)
      await perform(await routerSteps(deps, session, 'converge'), 'converge')
    }),
  withdraw: (call, _clusterId, member) =>
    holdingRoles(deps.store, call, member.id, async () => {
      const session = await sessionOf(deps, call, member)
      // A dead Router never keeps its Cluster from another one.
      if (!(await deps.nodes.answers(call, session.node))) {
        await deps.sites.leaveBehind(session)
        const steps = [lanStep(deps, false)]
        return perform({ session, steps }, 'remove')
      }
      await perform(await routerSteps(deps, session, 'remove'), 'remove')
    }),
})

/** As for any other role: the first one closes public SSH, the last one opens it (NODE-066, ROLE-025). */
export async function routerSteps(
  deps: Pick<RouterServiceDeps, 'store' | 'services' | 'lan'>,
  session: NodeSession,
  kind: 'converge' | 'remove',
): Promise<RouterWork> {
  if (kind === 'converge')
    return {
      session,
      steps: [
        ...convergenceSteps(deps.services, session, 'router', false),
        // Workloads admit it before a name leads to it.
        lanStep(deps, true),
      ],
    }
  const isLast = await isLastRole(deps, session.node.id, 'router')
  return {
    session,
    steps: [...removalSteps(deps, session, 'router', { isLast, purgeData: false }), lanStep(deps, false)],
  }
}

const lanStep = ({ lan }: Pick<RouterServiceDeps, 'lan'>, isRouter: boolean): RoleStep => ({
  name: 'router-lan-access',
  run: async ({ call, node }) => {
    if (node.cluster_id === null) return
    await lan.converge(call, { clusterId: node.cluster_id, node, isRouter })
  },
})

async function sessionOf(
  deps: RouterServiceDeps,
  call: Call,
  { id }: Pick<MemberRecord, 'id'>,
): Promise<NodeSession> {
  const node = await findNode(deps.store.db, id)
  if (!node) throw fail('node.not_found')
  return requireSession(deps, call, node)
}

const perform = async (work: RouterWork, kind: 'converge' | 'remove'): Promise<void> =>
  void (await performSteps(routerServices, work, {
    call: work.session.call,
    nameFor: (step) => `role:${step}`,
    errorOf: (failure) => errorOf(work.session, failure, kind),
  }))

const errorOf = ({ node }: NodeSession, { step, cause }: StepFailure, kind: 'converge' | 'remove'): Error =>
  cause instanceof CodedError && endsRequest(cause)
    ? cause
    : roleFailure(kind, node, { role: 'router', step, cause })
