import type { RoleName } from '@fleet/contract'
import type { Answers, Catalog } from '@fleet/dns'
import type { RouteName } from '#/dns/ports.ts'
import { type Holder, holderOf, holds, type NameNode } from '#/dns/rules.ts'

/** Everything that private names follow from. */
export interface NameSources {
  /** Private suffix of the fleet, such as `fleet`. */
  readonly suffix: string
  readonly nodes: readonly NameNode[]
  readonly clusters: ReadonlyArray<{
    readonly id: number
    readonly state: string
    readonly tld: string | null
  }>
  readonly routes: readonly RouteName[]
}

/** The private names of a fleet: a pure function of its records (RTX-104, RTX-108 to RTX-113, decision 0122). */
export function catalogOf(sources: NameSources): Catalog {
  const sites = clusterSites(sources)
  const routes = sources.routes.flatMap((route) => exactRecord(sources, sites, route))
  return {
    requesters: requestersOf(sources.nodes),
    // A Route never takes the place of a Node, nor a Node that of a platform name: whoever asks for those trusts the answer.
    records: { ...Object.fromEntries(routes), ...nodeRecords(sources), ...platformRecords(sources) },
    suffixes: { ...nodeSuffixes(sources), ...clusterSuffixes(sites) },
    overrides: overridesOf(sources, sites),
  }
}

const requestersOf = (nodes: readonly NameNode[]): Catalog['requesters'] =>
  Object.fromEntries(nodes.flatMap(({ id, address }) => (address === null ? [] : [[address, id]])))

/** As the listener takes it; a Node with another name has no private name. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/

/** Each Node under its own name. DNS knows no case: of two that differ in it alone the older has the name. */
const nodeRecords = ({ suffix, nodes }: NameSources): Answers =>
  Object.fromEntries(
    nodes
      .toSorted((a, b) => b.id - a.id)
      .flatMap(({ name, address }) => {
        const label = name.toLowerCase()
        return address !== null && LABEL.test(label) ? [[`${label}.${suffix}`, address]] : []
      }),
  )

/** RTX-111: whose address a platform name has, and the role that must also exist. */
const PLATFORM: ReadonlyArray<{ readonly label: string; readonly of: RoleName; readonly while?: RoleName }> =
  [
    { label: 'gateway', of: 'gateway' },
    { label: 'metrics', of: 'gateway', while: 'metrics' },
    { label: 'reverb', of: 'websocket' },
    { label: 'analytics', of: 'analytics' },
  ]

const platformRecords = ({ suffix, nodes }: NameSources): Answers =>
  Object.fromEntries(
    PLATFORM.flatMap(({ label, of, while: needed = of }) => {
      const holder = holderOf(nodes, of)
      return holder && holderOf(nodes, needed) ? [[`${label}.${suffix}`, holder.address]] : []
    }),
  )

/** An active Cluster with the Router that serves it. */
interface Site {
  readonly id: number
  readonly tld: string | null
  readonly router: Holder | undefined
}

const clusterSites = ({ clusters, nodes }: NameSources): readonly Site[] =>
  clusters
    .filter(({ state }) => state === 'active')
    .map(({ id, tld }) => {
      const members = nodes.filter(({ clusterId }) => clusterId === id)
      return { id, tld, router: holderOf(members, 'router') }
    })

const clusterSuffixes = (sites: readonly Site[]): Answers =>
  Object.fromEntries(
    sites.flatMap(({ tld, router }) => (tld === null || !router ? [] : [[tld, router.address]])),
  )

/** RTX-110: a name of an active Cluster is never that of a Node, also while the Cluster has no Router. */
function nodeSuffixes({ nodes, clusters }: NameSources): Answers {
  const taken = new Set(
    clusters.flatMap(({ state, tld }) => (state === 'active' && tld !== null ? [tld] : [])),
  )
  return Object.fromEntries(
    nodes.flatMap((node) =>
      node.tld !== null && !taken.has(node.tld) && holds(node, 'app-dev') ? [[node.tld, node.address]] : [],
    ),
  )
}

function exactRecord(
  { nodes }: NameSources,
  sites: readonly Site[],
  route: RouteName,
): ReadonlyArray<readonly [string, string]> {
  const address =
    'nodeId' in route
      ? nodes.find(({ id }) => id === route.nodeId)?.address
      : sites.find(({ id }) => id === route.clusterId)?.router?.address
  return address === undefined || address === null ? [] : [[route.domain, address]]
}

/** RTX-109: an active member with a LAN address hears the Router's, when the Router has one. */
function overridesOf(sources: NameSources, sites: readonly Site[]): Catalog['overrides'] {
  const lan = new Map(sites.flatMap((site) => lanAnswers(sources, site)))
  return Object.fromEntries(
    sources.nodes.flatMap(({ id, status, clusterId, lanAddress, address }) => {
      const answers = clusterId === null ? undefined : lan.get(clusterId)
      return answers && status === 'active' && lanAddress !== null && address !== null
        ? [[`node:${id}`, answers]]
        : []
    }),
  )
}

function lanAnswers(
  { routes }: NameSources,
  { id, tld, router }: Site,
): ReadonlyArray<readonly [number, { readonly records: Answers; readonly suffixes: Answers }]> {
  const address = router?.lanAddress ?? null
  if (address === null) return []
  const own = routes.filter((route) => 'clusterId' in route && route.clusterId === id)
  const records = Object.fromEntries(own.map(({ domain }) => [domain, address]))
  const suffixes = tld === null ? {} : { [tld]: address }
  return own.length === 0 && tld === null ? [] : [[id, { records, suffixes }]]
}
