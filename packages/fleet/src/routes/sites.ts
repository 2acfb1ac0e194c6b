import { leafFile, type LeafPlacement, type LeafSource, type PublishedLeaf } from '#/certificates/api.ts'
import type { RouteName, RouteNames } from '#/dns/api.ts'
import { lockOf } from '#/locks/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { routesWhere } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { asProxy, type ProxyRecord, type RouteRecord } from '#/routes/record.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { CADDY, proxyScope } from '#/routes/scopes.ts'
import { type EdgeView, edgeViewOf, guardOf } from '#/routes/edge/view.ts'
import { publicSite } from '#/routes/edge/sites.ts'
import { sleepersOn } from '#/processes/api.ts'
import { type Forwarders, forwardersTo } from '#/routes/routers/forwarders.ts'
import { type RoutedRoute, routedOn, routerLeaf, routerLeaves, routerSite } from '#/routes/routers/sites.ts'
import { appLeaf, appLeaves, appSite, isMember, type ServedRoute, sitedOn } from '#/routes/served.ts'
import { CADDY_UNIT, type Site, type SiteSource } from '#/web-server/api.ts'

/** Read by the web server alone. Where a build follows that loads it, it is published to be loaded later (decision 0345). */
export const leafOf = (route: RouteRecord): PublishedLeaf => ({
  scope: proxyScope(route),
  names: [route.domain],
  addresses: [],
  owner: CADDY,
  reload: CADDY_UNIT,
})

/** The sites of Routes on a Node, as they are committed (RTX-076), and their certificates. */
export const makeSiteSource = ({ store, certificates, network }: SiteSourceDeps): SiteSource => ({
  sitesOn: (node) => routeSites({ store, network }, node),
  publishLeaves: async (session) => {
    const { id } = session.node
    const leaves = [
      ...(await servedOn(store, id)).map((route) => ({ route, leaf: leafOf(route) })),
      ...(await sitedOn(store, id)).map((served) => ({ route: served.route, leaf: appLeaf(served) })),
      ...(await routedOn(store, id)).map(({ route, placement }) => ({
        route,
        leaf: routerLeaf(route, placement.leaf_scope),
      })),
    ].map(({ route, leaf }) => ({ routeId: route.id, leaf: { ...leaf, isLoadedLater: true } as const }))
    const published = new Set(
      await certificates.publishLeaves(
        session,
        leaves.map(({ leaf }) => leaf),
      ),
    )
    if (published.size === 0) return
    // Removed meanwhile: its removal may have taken the leaf away before this one was written.
    const routes = await routesWhere(store.db)
    const sited = new Set(routes.flatMap((route) => (route.has_site === 1 ? [route.id] : [])))
    for (const { routeId, leaf } of leaves)
      if (published.has(leaf) && !sited.has(routeId)) await certificates.withdrawLeaf(session, leaf)
  },
})

/** Every site of the Node, private and public. */
export async function routeSites(
  { store, network }: Pick<RoutesDeps, 'store' | 'network'>,
  node: NodeRecord,
): Promise<readonly Site[]> {
  const edge = await edgeViewOf(store.db, node)
  const proxies = (await servedOn(store, node.id)).flatMap((route) => siteOf(node, route))
  const settings = await network.settings()
  const guarded = guardOf(edge, settings?.range)
  return [
    ...[...proxies, ...(await instanceSites(store, node, { edge, suffix: settings?.suffix }))].map(guarded),
    ...(await publicSites(store, node, edge)),
  ]
}

/** Sites of Instances on the Node, and those that it has as a Router. */
async function instanceSites(
  store: RoutesDeps['store'],
  node: NodeRecord,
  { edge, suffix }: { readonly edge: EdgeView; readonly suffix: string | undefined },
): Promise<readonly Site[]> {
  const sleepers = suffix === undefined ? new Set<number>() : await sleepersOn(store.db, node.id)
  const routed = await routedOn(store, node.id)
  const behind = new Set(routed.map(({ route }) => route.id))
  const here = await sitedOn(store, node.id)
  const forwarders = await forwardersOf(store, node, here)
  const sited = here.filter(({ route }) => behind.has(route.id) || !edge.isServedBy(route.id, node.id))
  return [
    ...sited.flatMap((served) =>
      appSite(node, served, {
        isBehindRouter: behind.has(served.route.id),
        trusts: forwarders.get(served.route.id) ?? [],
        hibernation: sleepers.has(served.instance.id)
          ? { instanceId: served.instance.id, gateway: `gateway.${suffix}` }
          : undefined,
      }),
    ),
    ...routed.flatMap((one) =>
      routerSite(node, one, {
        trust: trustOf(edge, one),
        // Another Router meets this site on its way to an Instance of the Node.
        trusts: [...(forwarders.get(one.route.id) ?? []), ...edge.ingressAddresses],
      }),
    ),
  ]
}

const forwardersOf = (
  { db }: RoutesDeps['store'],
  node: NodeRecord,
  sited: readonly ServedRoute[],
): Promise<Forwarders> =>
  forwardersTo(
    db,
    node,
    sited.map(({ route }) => route.id),
  )

/** An ingress that runs a target presents its public certificate to other Routers as well (RTX-057). */
function trustOf(edge: EdgeView, { route, targets, placement }: RoutedRoute): 'system' | undefined {
  const isPublicTarget = targets.some(
    ({ instance }) => instance.node_id !== placement.node_id && edge.isServedBy(route.id, instance.node_id),
  )
  return isPublicTarget ? 'system' : undefined
}

/** What everybody may visit here. */
async function publicSites(
  store: RoutesDeps['store'],
  node: NodeRecord,
  edge: EdgeView,
): Promise<readonly Site[]> {
  const own = edge.publicOn(node.id)
  if (own.length === 0) return []
  const [routed, sited] = [await routedOn(store, node.id), await sitedOn(store, node.id)]
  const forwarders = await forwardersOf(store, node, sited)
  return own.map((found) =>
    publicSite(node, found, {
      routed: routed.find(({ route }) => route.id === found.route.id),
      local: sited.find((served) => served.route.id === found.route.id && isMember(served)),
      trusts: forwarders.get(found.route.id) ?? [],
    }),
  )
}

type SiteSourceDeps = Pick<RoutesDeps, 'store' | 'certificates' | 'network'>

const servedOn = async ({ db }: RoutesDeps['store'], nodeId: number): Promise<readonly ProxyRecord[]> =>
  (await routesWhere(db, { node_id: nodeId }))
    .filter(({ kind, has_site }) => kind === 'custom_proxy' && has_site === 1)
    .map(asProxy)

/** On the address of the tunnel and that of the LAN; `Host` is kept (RTE-161, RTX-082). */
export function siteOf(node: NodeRecord, route: ProxyRecord): readonly Site[] {
  const addresses = [node.wireguard_ip, node.lan_ip].filter((address) => address !== null)
  if (addresses.length === 0) return []
  return [
    {
      source: 'custom-proxy',
      scope: proxyScope(route),
      domain: route.domain,
      listener: { kind: 'tcp', addresses },
      tls: { kind: 'leaf', file: leafFile(proxyScope(route)) },
      handler: { kind: 'proxy', upstream: route.upstream },
    },
  ]
}

/** Names of Routes that are answered (RTX-108, RTX-109). */
export const makeRouteNames = ({ store }: Pick<RoutesDeps, 'store'>): RouteNames => ({
  list: async () => {
    const homes = new Map(
      (await servedRows(store.db, {})).map(({ route, instance }) => [route.id, instance.node_id]),
    )
    return (await routesWhere(store.db)).flatMap(
      ({ id, domain, node_id, cluster_id, has_name }): readonly RouteName[] => {
        if (has_name === 0) return []
        const home = homes.get(id)
        const name = { domain, ...(home === undefined ? {} : { instanceNodeId: home }) }
        if (node_id !== null) return [{ ...name, nodeId: node_id }]
        return cluster_id === null ? [] : [{ ...name, clusterId: cluster_id }]
      },
    )
  },
})

/** Leaves of Routes that are served, each renewed under the lock of its Route. */
export const makeLeafSource = ({ store }: Pick<RoutesDeps, 'store'>): LeafSource => ({
  leaves: async () => [
    ...(await routesWhere(store.db)).flatMap((route): readonly LeafPlacement[] =>
      route.kind === 'custom_proxy' && route.has_site === 1 && route.node_id !== null
        ? [{ nodeId: route.node_id, lock: lockOf('route', route.id), leaf: leafOf(route) }]
        : [],
    ),
    ...(await appLeaves(store)),
    ...(await routerLeaves(store)),
  ],
})
