import { posix } from 'node:path'
import { lockOf } from '#/locks/api.ts'
import { applicationDirectory, effectiveRoot } from '#/instances/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { type Pool, poolOf, type PoolSource } from '#/php/api.ts'
import type { ServedSource } from '#/source-access/api.ts'
import { leafFile, type LeafPlacement, type PublishedLeaf } from '#/certificates/api.ts'
import { isProductionRow, socketFor, sourceOf } from '#/routes/production/place.ts'
import { type ServedRow, servedRows } from '#/routes/served/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { CADDY, proxyScope } from '#/routes/scopes.ts'
import {
  CADDY_UNIT,
  LOCAL_SITES,
  type Site,
  type SiteHandler,
  type SiteHibernation,
} from '#/web-server/api.ts'

/** A Route and one Instance that it leads to. */
export type ServedRoute = ServedRow

/** The directory that it serves, relative to the repository. */
export const webRootOf = ({ route, instance }: ServedRoute): string => route.web_root ?? ownRoot(instance)

const ownRoot = ({ root, project_root }: ServedRoute['instance']): string =>
  effectiveRoot({ root, project: { root: project_root } })

/** With the other web root of a Route whose web root changes (decision 0206). */
export const otherOf = ({ route, ...rest }: ServedRoute): ServedRoute | undefined => {
  const { web_root_change: other } = route
  return other === null
    ? undefined
    : { ...rest, route: { ...route, web_root: other.web_root, php_version: other.php_version } }
}

/** What the Node is to have for the Route: also the web root that is to come, and the one that was until its site is built. */
export function rootsOf(served: ServedRoute): readonly ServedRoute[] {
  const other = served.route.web_root_change?.phase === 'leaving' ? undefined : otherOf(served)
  return other ? [served, other] : [served]
}

/** The application directory behind it: the one of the Instance, or that of its own web root. */
export const directoryOf = (served: ServedRoute): string => applicationDirectory(webRootOf(served))

export const defaultDirectory = ({ instance }: ServedRoute): string => applicationDirectory(ownRoot(instance))

/** The development pool that runs its directory; undefined without PHP, and in production. */
export function poolFor(served: ServedRoute): Pool | undefined {
  const { route, instance } = served
  if (route.php_version === null || isProductionRow(instance)) return undefined
  return poolOf({
    instance: { id: instance.id, name: instance.name },
    version: route.php_version,
    checkoutPath: instance.checkout_path,
    defaultDirectory: defaultDirectory(served),
    directory: directoryOf(served),
  })
}

/** Before its certificates are live a replacement has one of its own (RTX-098). */
export const isStaged = ({ replaces_route_id, replacement_step, status }: RouteRow): boolean =>
  replaces_route_id !== null && replacement_step !== 'cleanup' && status !== 'active'

/** Requests for the Route are led to it. */
export const isMember = ({ phase }: ServedRoute): boolean => phase === null || phase === 'joined'

/** An Instance that came into the pool has a certificate of its own until the one of its last Route may go. */
const isArriving = ({ phase }: ServedRoute): boolean => phase !== null && phase !== 'leaving'

/** Names the certificate of a Route to an Instance, and its site. */
export function scopeOf(served: ServedRoute): string {
  const { route, instance } = served
  if (route.web_root !== null) return proxyScope(route)
  return isStaged(route) || isArriving(served) ? stagingScope(instance.id) : liveScope(instance.id)
}
export const liveScope = (instanceId: number): string => `app-instance-${instanceId}`
export const stagingScope = (instanceId: number): string => `${liveScope(instanceId)}-hostname-change`

export const appLeaf = (served: ServedRoute): PublishedLeaf => ({
  scope: scopeOf(served),
  names: [served.route.domain],
  addresses: [],
  owner: CADDY,
  reload: CADDY_UNIT,
})

/** Where a Router reaches an Instance of its own Node: the addresses are those of its own sites (RTX-048). */
export const localSocket = ({ route, instance }: ServedRoute): string =>
  `${LOCAL_SITES}/route-${route.id}-instance-${instance.id}.sock`

interface AppPlacement {
  readonly isBehindRouter: boolean
  /** Addresses from which Routers lead visitors here. */
  readonly trusts?: readonly string[]
  readonly hibernation?: SiteHibernation | undefined
}

/**
 * On the address of the tunnel and that of the LAN (RTX-082, RTX-085); behind a Router on the same Node, which has the domain
 * there, on a socket of its own.
 */
export function appSite(
  node: NodeRecord,
  served: ServedRoute,
  { isBehindRouter, hibernation, trusts = [] }: AppPlacement,
): readonly Site[] {
  const addresses = [node.wireguard_ip, node.lan_ip].filter((address) => address !== null)
  if (addresses.length === 0) return []
  const scope = scopeOf(served)
  return [
    {
      source: isProductionRow(served.instance) ? 'app-prod' : 'app-dev',
      scope,
      domain: served.route.domain,
      listener: isBehindRouter ? { kind: 'unix', path: localSocket(served) } : { kind: 'tcp', addresses },
      tls: { kind: 'leaf', file: leafFile(scope) },
      handler: handlerOf(served),
      // On the socket is the Router of the same Node, which itself trusts the others.
      ...(isBehindRouter ? {} : trusting(trusts)),
      ...(hibernation && !isLeaving(served.route) ? { hibernation } : {}),
    },
  ]
}

/** In one order, and left out where nobody is trusted: the same records give the same site. */
export const trusting = (addresses: readonly string[]): Pick<Site, 'trusts'> =>
  addresses.length === 0 ? {} : { trusts: [...new Set(addresses)].toSorted() }

/** What is being removed answers that it is unavailable; what is being replaced serves to the end (INS-114, RTE-050). */
export const isLeaving = ({
  status,
  replaced_by_route_id: next,
  replaces_route_id: previous,
}: RouteRow): boolean =>
  (status === 'retiring' && next === null) || (status === 'failed' && previous === null)

/** What a site does that serves the Instance itself. */
export function handlerOf(served: ServedRoute): SiteHandler {
  const { route, instance } = served
  if (isLeaving(route)) return { kind: 'unavailable' }
  const php = socketFor(instance, directoryOf(served), poolFor(served))
  return {
    kind: 'files',
    root: posix.join(sourceOf(instance), webRootOf(served)),
    ...(php === undefined ? {} : { php }),
    ...(isProductionRow(instance) ? { isSwitched: true } : {}),
    cachesBuilds: isProductionRow(instance),
    ...(instance.vite_port === null || isProductionRow(instance)
      ? {}
      : { tools: [{ path: '/__fleet/vite', port: instance.vite_port, keepsPrefix: true }] }),
  }
}

/** Its site is to be there: of a target that joins, also before the Route has one. */
const hasSite = ({ route, phase }: ServedRoute): boolean =>
  phase !== 'reserved' && (route.has_site === 1 || phase === 'joining')

const RANKS = { joined: 1, joining: 2, leaving: 3, reserved: 4 } as const
const rankOf = ({ phase }: ServedRoute): number => (phase === null ? 0 : RANKS[phase])

/**
 * Routes of the Node whose site is to be there. Of two targets of one Route on the Node, one of which takes the place of the
 * other, it is the one that is in the pool.
 */
export async function sitedOn({ db }: RoutesDeps['store'], nodeId: number): Promise<readonly ServedRoute[]> {
  const sited = (await servedRows(db, { nodeId, isMoving: true })).filter(hasSite)
  const byRoute = new Map(
    sited
      .toSorted((one, other) => rankOf(other) - rankOf(one))
      .map((served) => [served.route.id, served] as const),
  )
  return sited.filter((served) => byRoute.get(served.route.id) === served)
}

const sourcedOn = async ({ db }: RoutesDeps['store'], nodeId: number): Promise<readonly ServedRoute[]> =>
  (await servedRows(db, { nodeId, isMoving: true }))
    .filter((served) => served.route.has_source === 1 || isArriving(served))
    .flatMap(rootsOf)

/** One pool for each directory, whatever the number of its Routes (RTE-141, RTE-143). */
export const makePoolSource = ({ store }: Pick<RoutesDeps, 'store'>): PoolSource => ({
  poolsOn: async (node) => {
    const pools = (await sourcedOn(store, node.id)).flatMap((served) => poolFor(served) ?? [])
    return [...new Map(pools.map((pool) => [pool.name, pool])).values()]
  },
})

export const makeServedSource = ({ store }: Pick<RoutesDeps, 'store'>): ServedSource => ({
  servedOn: async (node) => {
    // Releases are opened one by one, before they are selected.
    const development = (await sourcedOn(store, node.id)).filter(({ instance }) => !isProductionRow(instance))
    const byCheckout = Map.groupBy(development, ({ instance }) => instance.checkout_path)
    return [...byCheckout].map(([checkoutPath, routes]) => ({
      checkoutPath,
      webRoots: [...new Set(routes.map(webRootOf))].toSorted(),
    }))
  },
})

/** Leaves of Routes to Instances, each renewed under the lock of its Route. */
export const appLeaves = async ({ db }: RoutesDeps['store']): Promise<readonly LeafPlacement[]> =>
  (await servedRows(db, { isMoving: true })).filter(hasSite).map((served) => ({
    nodeId: served.instance.node_id,
    lock: lockOf('route', served.route.id),
    leaf: appLeaf(served),
  }))
