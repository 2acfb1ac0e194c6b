import { posix } from 'node:path'
import type { DoctorCode } from '@fleet/contract'
import type { Call } from '#/call.ts'
import {
  asked,
  type Check,
  type CheckedResource,
  type FamilyChecks,
  type Finding,
  isEmbedded,
  type NodeRecord,
  stored,
} from '#/nodes/api.ts'
import { isProductionRow } from '#/routes/production/place.ts'
import { associationCheck } from '#/routes/checks/association.ts'
import { applicationsOf, urlChecks } from '#/routes/checks/application-url.ts'
import { type CheckedInstance, checkedInstances } from '#/routes/checks/queries.ts'
import { type Examined, named, type RoutingCheckDeps } from '#/routes/checks/examined.ts'
import { makeRouterViews, type RouterViews } from '#/routes/checks/router-views.ts'
import { routerChecks } from '#/routes/checks/router.ts'
import { type ServingView, viewQuestion } from '#/routes/checks/view.ts'
import { isInTransition } from '#/routes/own.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { ingressScope } from '#/routes/scopes.ts'
import { appLeaf, scopeOf, type ServedRoute, webRootOf } from '#/routes/served.ts'
import { routedOn } from '#/routes/routers/sites.ts'
import { routeSites } from '#/routes/sites.ts'
import { judgeSites, publishedSites, type SiteName } from '#/web-server/api.ts'

/**
 * The private routes of Instances: records, site, certificate, name and the Router before them (DOC-008 to DOC-016, DOC-023). One
 * question to the Node, and one to each Router in a run.
 */
export const makeRoutingChecks = (deps: RoutingCheckDeps): FamilyChecks => {
  const routerViews = makeRouterViews(deps)
  return {
    family: 'instance',
    checksOf: async (call, node) => {
      if (isEmbedded(node) || !(await deps.network.settings())) return []
      const instances = await checkedInstances(deps.store.db, node.id)
      if (instances.length === 0) return []
      return checksOf(deps, call, node, instances, routerViews)
    },
  }
}

async function checksOf(
  deps: RoutingCheckDeps,
  call: Call,
  node: NodeRecord,
  instances: readonly CheckedInstance[],
  routerViews: RouterViews,
): Promise<readonly Check[]> {
  const { store, clusters, dns, root = '' } = deps
  const settled = (await servedRows(store.db, { nodeId: node.id })).filter(isSettled)
  const applications = applicationsOf(settled, instances)
  const question = viewQuestion({
    root,
    leaves: [...new Set(settled.map(scopeOf))],
    domains: settled.map(({ route }) => route.domain),
    webRoots: settled.flatMap(openedRoot),
    applications,
  })
  const examined: Examined = {
    deps,
    call,
    node,
    question,
    routerViews,
    scope: await clusters.scopeOf(node),
    dnsNodeId: (await deps.holders.of('vpn'))[0]?.node.id,
    answers: await dns.answersTo(node.id),
    published: publishedSites(await routeSites(deps, node)),
    behindRouter: new Set((await routedOn(store, node.id)).map(({ route }) => route.id)),
  }
  const byInstance = Map.groupBy(settled, ({ instance }) => instance.id)
  const lists = await Promise.all(
    instances.map((instance) => instanceChecks(examined, instance, byInstance.get(instance.id) ?? [])),
  )
  return [...lists.flat(), ...urlChecks(question, applications)]
}

/** What is being published, moved or removed is judged by its status alone. */
const isSettled = ({ route }: ServedRoute): boolean =>
  route.status === 'active' && route.has_site === 1 && !isInTransition(route)

async function instanceChecks(
  examined: Examined,
  instance: CheckedInstance,
  routes: readonly ServedRoute[],
): Promise<readonly Check[]> {
  const { deps, node, scope } = examined
  const resource = { type: 'instance', id: instance.id, name: instance.name }
  const firewall =
    routes.length === 0
      ? []
      : await deps.firewall.memberCheck('instance.private_firewall_mismatch', resource, node)
  const router = scope.clusterId === null ? undefined : await routerNode(deps, scope.clusterId)
  return [
    associationCheck(deps.store, instance),
    ...firewall,
    ...routes.flatMap((served) => [
      scopeCheck(examined, resource, served),
      ...workloadChecks(examined, resource, served),
    ]),
    ...linkCheck(examined, resource, routes),
    ...(router ? routerChecks(examined, resource, router, routes) : []),
  ]
}

async function routerNode(
  { clusters, nodes }: RoutingCheckDeps,
  clusterId: number,
): Promise<NodeRecord | undefined> {
  const member = await clusters.routerOf(clusterId)
  return member && nodes.find(member.id)
}

/** A Route is served where its Instance is: by the Node, or by the active Cluster that it is a member of. */
const scopeCheck = ({ node, scope }: Examined, resource: CheckedResource, { route }: ServedRoute): Check =>
  stored('instance.private_routing_scope_mismatch', resource, () => {
    const expected = scope.clusterId === null ? `Node ${node.id}` : `Cluster ${scope.clusterId}`
    const observed =
      route.cluster_id !== null ? `Cluster ${route.cluster_id}` : `Node ${route.node_id ?? 'none'}`
    return expected === observed ? undefined : { expected, observed: `${observed}: ${route.domain}` }
  })

function workloadChecks(
  { deps, question, published, answers, dnsNodeId, behindRouter }: Examined,
  resource: CheckedResource,
  served: ServedRoute,
): readonly Check[] {
  const { route } = served
  const of = named(route.domain)
  const ask = (code: DoctorCode, judge: (view: ServingView) => Finding | undefined): Check =>
    asked(code, resource, question, (view) => of(judge(view)))
  const sites = sitesServing(served, behindRouter.has(route.id))
  return [
    ask(siteCode(served), ({ live }) => judgeSites(sites, published, live)),
    ask('instance.private_certificate_mismatch', ({ leaves }) =>
      deps.certificates.judgeFile(leaves, appLeaf(served)),
    ),
    ...(route.has_name === 1
      ? [
          ask('instance.private_dns_mismatch', ({ answers: heard }) => {
            const [expected, observed] = [answers.get(route.domain), heard.get(route.domain)]
            if (expected === observed) return undefined
            const words = { expected: expected ?? 'no address', observed: observed ?? 'none' }
            return { ...words, relatedNodeId: dnsNodeId }
          }),
        ]
      : []),
  ]
}

/** In production a release is looked at before it is selected. */
const openedRoot = (served: ServedRoute): readonly string[] =>
  isProductionRow(served.instance) ? [] : [posix.join(served.instance.checkout_path, webRootOf(served))]

/** A link may lead anywhere, and the web server follows it (SRC-005). */
const linkCheck = (
  { question }: Examined,
  resource: CheckedResource,
  routes: readonly ServedRoute[],
): readonly Check[] =>
  [...new Map(routes.flatMap((served) => openedRoot(served).map((path) => [path, webRootOf(served)])))].map(
    ([path, directory]) =>
      asked('instance.web_root_link', resource, question, ({ links }) => {
        const count = links.get(path) ?? 0
        return count === 0 ? undefined : { expected: 'no link', observed: String(count), directory }
      }),
  )

/** The sites of production are those of a user and a PHP of its own (DRF-044). */
const siteCode = ({ instance }: ServedRoute): DoctorCode =>
  isProductionRow(instance) ? 'instance.caddy_projection_mismatch' : 'instance.workload_caddy_mismatch'

/** On an ingress the public site takes the place of the private one; behind a Router of the same Node it is that Router's. */
const sitesServing = (served: ServedRoute, isBehindRouter: boolean): readonly SiteName[] => [
  { source: isProductionRow(served.instance) ? 'app-prod' : 'app-dev', scope: scopeOf(served) },
  ...(isBehindRouter ? [] : [{ source: 'ingress', scope: ingressScope(served.route) } as const]),
]
