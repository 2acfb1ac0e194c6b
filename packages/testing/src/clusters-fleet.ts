import type {
  ClusterRecord,
  ClusterRoutes,
  ClustersDomain,
  MovingRoute,
  RouterServices,
  ScopeChange,
} from '@fleet/fleet'
import type { DialectName } from '@fleet/store'
import { testDomains } from './domains.ts'
import { type NodesFleet, startNodesFleet } from './nodes-fleet.ts'

/** The domain of Clusters over Nodes that are rows, with Routes and Router services that a test decides. */
export interface ClustersFleet extends NodesFleet {
  readonly clusters: ClustersDomain
  readonly routes: FakeClusterRoutes
  readonly services: FakeRouterServices
}

export async function startClustersFleet(dialect?: DialectName): Promise<ClustersFleet> {
  const fleet = await startNodesFleet(dialect)
  const routes = fakeClusterRoutes()
  const services = fakeRouterServices()
  const deps = { store: fleet.store, ssh: fleet.pool }
  const fakes = { nodes: fleet.domains.nodes, clusterRoutes: routes, routerServices: services }
  return { ...fleet, clusters: testDomains(deps, fakes).clusters, routes, services }
}

export interface FakeClusterRoutes extends ClusterRoutes {
  /** Routes that any Cluster owns. */
  owned: number
  /** Routes of the Nodes of any change. */
  standing: readonly MovingRoute[]
  readonly published: ScopeChange[]
  /** Clusters as they were to be, one for each of `published`. */
  readonly standings: ClusterRecord[]
  /** Domains that Routes got, in order. */
  readonly renamed: string[]
  /** Publications of what the records say. */
  settled: number
  /** Clusters whose ingress followed their Router, in order. */
  readonly followed: number[]
  /** Runs at each publication, before it counts as one. */
  onPublish: () => Promise<void>
}

export const fakeClusterRoutes = (): FakeClusterRoutes => {
  const published: ScopeChange[] = []
  const standings: ClusterRecord[] = []
  const renamed: string[] = []
  return {
    owned: 0,
    standing: [],
    published,
    standings,
    followed: [],
    renamed,
    settled: 0,
    onPublish: async () => undefined,
    async countOwned() {
      return this.owned
    },
    async concerned({ moves }) {
      return this.standing.filter((route) => moves.some(({ nodeId }) => nodeId === route.nodeId))
    },
    async replace(_call, changes) {
      for (const { routeId, domain } of changes) {
        renamed.push(domain)
        this.standing = this.standing.map(({ nextDomain: _next, ...route }) =>
          route.id === routeId ? { ...route, id: routeId + 100, domain } : route,
        )
      }
      return changes.map(({ routeId }) => routeId + 100)
    },
    async publish(_call, change, cluster) {
      await this.onPublish()
      published.push(change)
      standings.push(cluster)
    },
    withdrawing: (_clusterId, change) => change(),
    async store() {},
    async restore() {},
    async moved() {},
    async settle() {
      this.settled += 1
    },
    async followRouter(_call, clusterId) {
      this.followed.push(clusterId)
    },
  }
}

type Deed = 'capable' | 'converge' | 'withdraw'

export interface FakeRouterServices extends RouterServices {
  /** `converge <node id>` and the like, in order; also those that failed. */
  readonly done: string[]
  /** Runs at each call and may throw. */
  onCall: (deed: Deed, nodeId: number) => Promise<void>
}

export const fakeRouterServices = (): FakeRouterServices => {
  const done: string[] = []
  return {
    done,
    onCall: async () => undefined,
    async requireCapable(_call, node) {
      await this.onCall('capable', node.id)
    },
    async converge(_call, _clusterId, node) {
      done.push(`converge ${node.id}`)
      await this.onCall('converge', node.id)
    },
    async withdraw(_call, _clusterId, node) {
      done.push(`withdraw ${node.id}`)
      await this.onCall('withdraw', node.id)
    },
  }
}
