import type { DoctorCode } from '@fleet/contract'
import { type Check, type CheckedResource, driven, type Finding, type NodeRecord } from '#/nodes/api.ts'
import { type Examined, named } from '#/routes/checks/examined.ts'
import type { RouterView } from '#/routes/checks/router-views.ts'
import { routerLeaf, type RoutedRoute } from '#/routes/routers/sites.ts'
import { ingressScope } from '#/routes/scopes.ts'
import type { ServedRoute } from '#/routes/served.ts'
import { judgeSites, leadElsewhere, type SiteName } from '#/web-server/api.ts'

/** The Router before an Instance: that it answers, its site, where that leads, and its certificate. */
export function routerChecks(
  { deps, call, routerViews }: Examined,
  resource: CheckedResource,
  router: NodeRecord,
  routes: readonly ServedRoute[],
): readonly Check[] {
  if (routes.length === 0) return []
  const ask = (code: DoctorCode, domain: string, judge: (view: RouterView) => Finding | undefined): Check =>
    driven(code, resource, async () => {
      const view = await routerViews(call, router)
      // Reported once, as a Node that nobody could look at.
      const finding = view && named(domain)(judge(view))
      return finding && { ...finding, relatedNodeId: router.id }
    })
  return [
    driven('instance.related_node_unverifiable', resource, async () =>
      (await routerViews(call, router))
        ? undefined
        : { expected: 'answers', observed: 'no answer', relatedNodeId: router.id },
    ),
    ...routes.flatMap(({ route: { id, domain } }) => [
      ask('instance.router_caddy_mismatch', domain, (view) =>
        routedBy(view, id, (sites) =>
          leadElsewhere(sites, view.published, view.view.live)
            ? undefined
            : judgeSites(sites, view.published, view.view.live),
        ),
      ),
      ask('instance.target_set_mismatch', domain, (view) =>
        routedBy(view, id, (sites, { targets }) =>
          leadElsewhere(sites, view.published, view.view.live)
            ? { expected: `${targets.length} targets of the records`, observed: 'other targets' }
            : undefined,
        ),
      ),
      ask('instance.private_certificate_mismatch', domain, (view) => {
        const routed = view.routed.get(id)
        if (!routed) return undefined
        const leaf = routerLeaf(routed.route, routed.placement.leaf_scope)
        return onRouter(deps.certificates.judgeFile(view.view.leaves, leaf))
      }),
    ]),
  ]
}

const onRouter = (finding: Finding | undefined): Finding | undefined =>
  finding && { ...finding, observed: `${finding.observed} on the Router` }

/** A Route that the records of the Router do not have is missing there. As an ingress it has a public site of the Route as well. */
function routedBy(
  { routed }: RouterView,
  routeId: number,
  judge: (sites: readonly SiteName[], routed: RoutedRoute) => Finding | undefined,
): Finding | undefined {
  const found = routed.get(routeId)
  if (!found) return { expected: 'built', observed: 'not built' }
  const { route, placement } = found
  return judge(
    [
      { source: 'router', scope: placement.leaf_scope },
      { source: 'ingress', scope: ingressScope(route) },
    ],
    found,
  )
}
