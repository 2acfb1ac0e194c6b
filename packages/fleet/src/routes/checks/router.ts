import type { DoctorCode } from '@fleet/contract'
import { type Check, type CheckedResource, driven, type Finding, type NodeRecord } from '#/nodes/api.ts'
import { type Examined, named } from '#/routes/checks/examined.ts'
import type { RouterView } from '#/routes/checks/router-views.ts'
import { routerLeaf, type RoutedRoute, routerSite } from '#/routes/routers/sites.ts'
import type { ServedRoute } from '#/routes/served.ts'
import { judgeSite, leadsElsewhere, type Site } from '#/web-server/api.ts'

/** The Router before an Instance: that it answers, its site, where that leads, and its certificate. */
export function routerChecks(
  { parts, call, routerViews }: Examined,
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
        siteOf(view, id, (site) =>
          leadsElsewhere(site, view.view.live) ? undefined : judgeSite(site, view.view.live),
        ),
      ),
      ask('instance.target_set_mismatch', domain, (view) =>
        siteOf(view, id, (site, { targets }) =>
          leadsElsewhere(site, view.view.live)
            ? { expected: `${targets.length} targets of the records`, observed: 'other targets' }
            : undefined,
        ),
      ),
      ask('instance.private_certificate_mismatch', domain, (view) => {
        const routed = view.routed.get(id)
        if (!routed) return undefined
        const leaf = routerLeaf(routed.route, routed.placement.leaf_scope, { reload: true })
        return onRouter(parts.certificates.judgeFile(view.view.leaves, leaf))
      }),
    ]),
  ]
}

const onRouter = (finding: Finding | undefined): Finding | undefined =>
  finding && { ...finding, observed: `${finding.observed} on the Router` }

/** A Route that the records of the Router do not have is missing there. */
function siteOf(
  { router, routed }: RouterView,
  routeId: number,
  judge: (site: Site, routed: RoutedRoute) => Finding | undefined,
): Finding | undefined {
  const found = routed.get(routeId)
  if (!found) return { expected: 'built', observed: 'not built' }
  return routerSite(router, found)
    .map((site) => judge(site, found))
    .find((finding) => finding !== undefined)
}
