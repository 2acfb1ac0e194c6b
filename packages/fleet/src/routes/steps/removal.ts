import { fail, type RetainedRouteData } from '@fleet/contract'
import { type Step, type StepFailure, stepList } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { identityOf, type NodeRecord, type NodeSession, silentCode, silentNode } from '#/nodes/api.ts'
import { performSteps } from '#/perform-steps.ts'
import { leaveSilentIngress } from '#/routes/edge/offline.ts'
import { closeToPublic, edgeChangeOf, type EdgeDeps } from '#/routes/edge/publish.ts'
import { deleteRoute, retainedOf, updateRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { leaveSilentRouters, withdrawRouterLeaves, withdrawRouterSites } from '#/routes/routers/serve.ts'
import { proxyScope } from '#/routes/scopes.ts'
import { failureLog } from '#/routes/steps/activation.ts'

export interface Removal {
  readonly deps: EdgeDeps & Pick<RoutesDeps, 'clock' | 'certificates' | 'names'>
  readonly call: Call
  readonly route: RouteRecord
  readonly node: NodeRecord
  /** Undefined for a Node that is skipped (RTE-175). */
  readonly session: NodeSession | undefined
  /** With `offline`: Routers and an ingress that do not answer are skipped and added here. */
  readonly silent?: NodeRecord[]
}

/** What a skipped Node keeps until it converges. */
export const RETAINED_STEPS: readonly string[] = ['caddy', 'certificate']

const retire: Step<Removal> = {
  name: 'retire',
  run: ({ deps, route }) =>
    updateRoute(deps.store.db, route.id, { status: 'retiring', has_site: 0, has_name: 0 }),
}

const name: Step<Removal> = { name: 'dns', run: ({ deps, call }) => deps.names.publish(call) }

/** A Route that lost its last Instance may still be open to the public. */
const edge: Step<Removal> = {
  name: 'public-withdrawn',
  run: async ({ deps, call, route, silent }) => {
    if (route.edge_step === null) return 'skipped'
    if (silent) silent.push(...(await leaveSilentIngress(deps, call, [route.id])))
    else await closeToPublic(edgeChangeOf(deps, call, [route.id]))
    return undefined
  },
}

const site: Step<Removal> = {
  name: 'caddy',
  run: async ({ deps, call, route, session, silent }) => {
    if (silent) silent.push(...(await leaveSilentRouters(deps, call, route)))
    await withdrawRouterSites(deps, call, route)
    if (session) await deps.webServer.build(session, 'app-dev')
  },
}

/** After the build without it: what a live file names is never missing (RTX-095). */
const certificate: Step<Removal> = {
  name: 'certificate',
  run: async ({ deps, call, session, route }) => {
    await withdrawRouterLeaves(deps, call, route)
    if (session) await deps.certificates.withdrawLeaf(session, { scope: proxyScope(route) })
  },
}

const forget: Step<Removal> = {
  name: 'forget',
  run: ({ deps, route, node, session }) =>
    deleteRoute(
      deps.store,
      route.id,
      // What Routers keep of a Route of a Cluster is recorded by then.
      session || route.node_id === null
        ? []
        : [
            {
              node_id: node.id,
              route_id: route.id,
              domain: route.domain,
              retained_steps: RETAINED_STEPS,
              created_at: deps.clock.now().toISOString(),
            },
          ],
    ),
}

const STEPS: readonly Step<Removal>[] = [retire, name, edge, site, certificate, forget]

/** Names that a removal which failed leaves on a Route without an Instance; of one with an Instance they begin with `targeted:`. */
export const REMOVAL_STEPS = STEPS.map((step) => step.name)

/** The name first, the certificate last (RTE-163, RTX-063). A removal that failed begins again (RTX-029). */
export const routeRemoval = stepList<Removal>('route-removal', () => STEPS, {
  forwardOnly: true,
})

export async function removeRoute(removal: Removal): Promise<readonly RetainedRouteData[]> {
  const { deps, call, route, node } = removal
  await performSteps(routeRemoval, removal, {
    call,
    log: failureLog(removal),
    errorOf: (failure) => unreachableOr(failure, node),
  })
  return removal.silent ? retainedOf(deps.store.db, route.id) : []
}

/**
 * A Node that does not answer is named with the way out; step and code of the failure stay in the details (RTE-174, RTX-066). It is
 * not always that of the Route: the failure names an ingress, or the `vpn` Node, which no removal skips.
 */
export function unreachableOr(
  { step, cause }: Pick<StepFailure, 'step' | 'cause'>,
  node: NodeRecord,
): unknown {
  const code = silentCode(cause)
  // One that names a Router has been made already.
  if (code === undefined) return cause
  const silent = silentNode(cause) ?? identityOf(node)
  const way = NAME_STEPS.has(step)
    ? 'Repeat when it does: private DNS has to forget the domain before anything else goes.'
    : 'Repeat when it does, or remove the Route with `--offline`, which leaves the rest for when the Node comes back.'
  return fail('route.node_unreachable', {
    message: `The Node ${silent.name} does not answer. ${way}`,
    details: { node: silent, step, error_code: code },
    cause,
  })
}

/** Of a removal, and of a replacement that is given up. */
const NAME_STEPS: ReadonlySet<string> = new Set([name.name, 'private-dns', 'leave-silent'])
