import { type DoctorCode, targetSetArguments } from '@fleet/contract'
import {
  type Certificates,
  judgeServed,
  leafFile,
  type LeafFiles,
  PRINT_LEAVES,
  readLeafFiles,
} from '#/certificates/api.ts'
import { ROOT_FILES, textFile } from '@fleet/shell'
import { lockOf } from '#/locks/api.ts'
import {
  asked,
  type Check,
  differs,
  type FamilyChecks,
  type Finding,
  nodeResource,
  type NodeRecord,
  type Question,
  readPrinted,
  type RoleHolders,
  stored,
  unlessHeld,
} from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { recordedSetOf } from '#/routes/pools/queries.ts'
import { findRoute, residuesOn, routesWhere } from '#/routes/queries.ts'
import { asProxy, type ProxyRecord, type RouteRecord, type RouteResidue } from '#/routes/record.ts'
import { proxyScope } from '#/routes/scopes.ts'
import { leafOf, routeSites } from '#/routes/sites.ts'
import {
  type LiveSites,
  liveSitesQuestion,
  type PublishedSites,
  publishedSites,
  siteCheck,
} from '#/web-server/api.ts'

type CheckDeps = Pick<RoutesDeps, 'store' | 'network'> & {
  readonly certificates: Pick<Certificates, 'inspectServed' | 'judgeFile'>
  readonly clusters: Pick<RoutesDeps['clusters'], 'scopeOf' | 'routerOf'>
  readonly holders: Pick<RoleHolders, 'of'>
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
}

/** Routes of a Node: their records, and for those that serve what the machine does with them (RTE-043, DRF-059). */
export const makeRouteChecks = (deps: CheckDeps): FamilyChecks => ({
  family: 'route',
  checksOf: async (_call, node) => {
    const { db } = deps.store
    const own = await routesWhere(db, { node_id: node.id })
    const routed = await routedBy(deps, node)
    if (own.length + routed.length === 0) return []
    const examined: Examined = {
      node,
      isNamed: (await deps.network.settings()) !== undefined,
      sites: liveSitesQuestion(deps.root),
      published: publishedSites(await routeSites(deps, node)),
      dnsNodeId: (await deps.holders.of('vpn'))[0]?.node.id,
    }
    return [
      ...own.flatMap((route) => [
        lifecycleOf(route),
        ...webRootChecks(deps.store, route),
        ...servedChecks(deps, examined, route),
      ]),
      ...routed.flatMap((route) => [
        lifecycleOf(route),
        ...webRootChecks(deps.store, route),
        targetSetCheck(deps.store, route),
        publicationCheck(deps.store, route),
      ]),
    ]
  },
})

interface Examined {
  readonly node: NodeRecord
  readonly isNamed: boolean
  readonly sites: Question<LiveSites>
  readonly published: PublishedSites
  readonly dnsNodeId: number | undefined
}

/** Routes of an active Cluster are reported on its Router (DRF-059). */
async function routedBy({ store, clusters }: CheckDeps, node: NodeRecord): Promise<readonly RouteRecord[]> {
  const { clusterId } = await clusters.scopeOf(node)
  if (clusterId === null || (await clusters.routerOf(clusterId))?.id !== node.id) return []
  return routesWhere(store.db, { cluster_id: clusterId })
}

const resourceOf = ({ id, domain }: RouteRecord) => ({ type: 'route', id, name: domain })

const lifecycleOf = (route: RouteRecord): Check =>
  stored('route.lifecycle_not_active', resourceOf(route), () => differs('active', route.status))

type StoreDeps = RoutesDeps['store']
type Judge = (route: RouteRecord) => Finding | undefined | Promise<Finding | undefined>

/** Of a change that stopped: none while somebody carries it out. Of a Route without one nothing more is asked. */
const unfinished = ({ db, locks }: StoreDeps, code: DoctorCode, route: RouteRecord, judge: Judge): Check =>
  stored(code, resourceOf(route), async () =>
    (await judge(route)) === undefined
      ? undefined
      : unlessHeld(locks, lockOf('route', route.id).name, async () => {
          const now = await findRoute(db, route.id)
          return now && judge(now)
        }),
  )

/** Sets are of Routes of Clusters. The request that finishes one is its words on the command line. */
const targetSetCheck = (store: StoreDeps, route: RouteRecord): Check =>
  unfinished(store, 'route.target_set_unfinished', route, async ({ id }) => {
    const set = await recordedSetOf(store.db, id)
    return set && { expected: 'finished', observed: targetSetArguments(set) }
  })

/** Nothing closes it by itself, also when its ingress is back. */
const publicationCheck = (store: StoreDeps, route: RouteRecord): Check =>
  unfinished(store, 'route.publication_unfinished', route, ({ publication, status, edge_step }) =>
    publication === 'private' && status === 'active' && edge_step !== null
      ? { expected: 'closed', observed: edge_step }
      : undefined,
  )

/** It serves all the time, so its status says nothing of it (decision 0206). */
const webRootChecks = (store: StoreDeps, route: RouteRecord): readonly Check[] =>
  route.kind === 'app'
    ? [
        unfinished(store, 'route.web_root_unfinished', route, ({ web_root_change: change }) =>
          change === null ? undefined : { expected: 'finished', observed: change.phase },
        ),
      ]
    : []

function servedChecks(
  deps: CheckDeps,
  { node, isNamed, sites, published, dnsNodeId }: Examined,
  route: RouteRecord,
): readonly Check[] {
  const { wireguard_ip: address } = node
  if (route.kind !== 'custom_proxy' || route.status !== 'active' || address === null) return []
  const proxy = asProxy(route)
  const resource = resourceOf(route)
  const question = pathQuestion(proxy, deps.root)
  return [
    ...(isNamed
      ? [
          asked('route.dns_mismatch', resource, question, ({ heard }) =>
            heard === address
              ? undefined
              : { expected: address, observed: heard ?? 'none', relatedNodeId: dnsNodeId },
          ),
        ]
      : []),
    // What is served was loaded: without its file the next start of the web server fails for every site.
    asked('route.certificate_mismatch', resource, question, async ({ leaves }) => {
      const { inspectServed, judgeFile } = deps.certificates
      const served = judgeServed(await inspectServed({ address, name: route.domain }))
      return served ?? judgeFile(leaves, leafOf(route))
    }),
    siteCheck(
      'route.caddy_mismatch',
      resource,
      { name: { source: 'custom-proxy', scope: proxyScope(route) }, published },
      sites,
    ),
    asked('route.upstream_unreachable', resource, question, ({ takesConnections }) =>
      takesConnections ? undefined : { expected: 'takes connections', observed: 'does not' },
    ),
  ]
}

interface Path {
  readonly takesConnections: boolean
  /** IPv4 address that the Node hears; undefined when it hears none. */
  readonly heard: string | undefined
  readonly leaves: LeafFiles
}

const pathQuestion = (proxy: ProxyRecord, root = ''): Question<Path> => {
  const { upstream, domain } = proxy
  const { hostname, port } = new URL(upstream)
  const leaf = `${root}${leafFile(proxyScope(proxy))}`
  return {
    source: [ROOT_FILES, PRINT_LEAVES, textFile('upstream.sh', import.meta.url)].join('\n'),
    args: [hostname.replaceAll(/[[\]]/g, ''), port === '' ? '80' : port, domain, leaf],
    read: (printed) =>
      readPrinted(printed, (answer) => {
        const heard = answer.text('address')
        return {
          takesConnections: answer.flag('upstream'),
          heard: /^\d{1,3}(?:\.\d{1,3}){3}$/.test(heard) ? heard : undefined,
          leaves: readLeafFiles(answer),
        }
      }),
  }
}

/** What removed Routes left on a Node (RTE-178). */
export const makeResidueChecks = ({ store }: Pick<RoutesDeps, 'store'>): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => {
    const residues = await residuesOn(store.db, node.id)
    return residues.map((residue) =>
      stored('node.route_residue_retained', nodeResource(node), () => ({
        expected: 'none',
        observed: observedOf(residue),
      })),
    )
  },
})

/** A converge that could do no more keeps the steps that are left. */
function observedOf({ domain, retained_steps: steps }: RouteResidue): string {
  const left = [
    ...(steps.includes('php') ? ['PHP pool'] : []),
    ...(steps.includes('source-access') ? ['access of the web server to checkouts'] : []),
  ]
  return `${left.length === 0 ? 'site and certificate' : left.join(' and ')} of ${domain}`
}
