import type { Call } from '#/call.ts'
import type { Certificates } from '#/certificates/api.ts'
import type { Clusters, RouteScope } from '#/clusters/api.ts'
import type { Dns } from '#/dns/api.ts'
import type { Firewall } from '#/firewall/api.ts'
import type { Network } from '#/network/api.ts'
import type { Finding, NodeRecord, Nodes, Question, RoleHolders } from '#/nodes/api.ts'
import type { RouterViews } from '#/routes/checks/router-views.ts'
import type { ServingView } from '#/routes/checks/view.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import type { PublishedSites } from '#/web-server/api.ts'

export interface RoutingCheckDeps {
  readonly store: RoutesDeps['store']
  readonly nodes: Pick<Nodes, 'find' | 'answers' | 'sessions'>
  readonly clusters: Pick<Clusters, 'scopeOf' | 'routerOf'>
  /** Without a private network nothing is served. */
  readonly network: Pick<Network, 'settings'>
  readonly certificates: Pick<Certificates, 'judgeFile'>
  readonly dns: Pick<Dns, 'answersTo'>
  readonly holders: Pick<RoleHolders, 'of'>
  readonly firewall: Pick<Firewall, 'memberCheck'>
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
}

/** What the checks of one Node have in common. */
export interface Examined {
  readonly deps: RoutingCheckDeps
  readonly call: Call
  readonly node: NodeRecord
  readonly question: Question<ServingView>
  readonly scope: RouteScope
  readonly routerViews: RouterViews
  /** Where the names of Routes lead this Node. */
  readonly answers: ReadonlyMap<string, string>
  /** Id of the Node that serves the private DNS. */
  readonly dnsNodeId: number | undefined
  /** The sites of the Node as its web server publishes them. */
  readonly published: PublishedSites
  /** Routes that a Router on this same Node serves in front of the Instance. */
  readonly behindRouter: ReadonlySet<number>
}

/** Says of which domain a finding is: an Instance may have several. */
export const named =
  (domain: string) =>
  (finding: Finding | undefined): Finding | undefined =>
    finding && { ...finding, observed: `${finding.observed}: ${domain}` }
