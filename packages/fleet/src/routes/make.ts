import type { Database } from '@fleet/store'
import type { LeafSource } from '#/certificates/api.ts'
import type { Call } from '#/call.ts'
import type { ClusterRoutes, ScopeChange } from '#/clusters/api.ts'
import type { RouteNames } from '#/dns/api.ts'
import type { HandlersOf } from '#/handler.ts'
import type { InstanceRoutes } from '#/instances/api.ts'
import type { FamilyChecks, NodeArtifact } from '#/nodes/api.ts'
import { makeResidueChecks } from '#/routes/checks/make.ts'
import { makeApplicationUrlArtifact } from '#/routes/application-url-artifact.ts'
import { concernedRoutes } from '#/routes/concerned.ts'
import { makeCreate } from '#/routes/create.ts'
import { makeDestroy } from '#/routes/destroy.ts'
import { makePublicEdge, type PublicEdge } from '#/routes/edge/public-routes.ts'
import { followRouter, makeFollowKind } from '#/routes/edge/follow-router.ts'
import { makeWaitingKind, publishWaiting } from '#/routes/edge/waiting.ts'
import { makeInstanceRoutes } from '#/routes/instance-routes.ts'
import { makeList } from '#/routes/list.ts'
import { makeRouteLocators, type RouteLocators } from '#/routes/locators.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { countRoutesIn, countRoutesOn, findByDomain, routesWhere } from '#/routes/queries.ts'
import { makeProjectRoutes, type ProjectRoutes } from '#/routes/of-projects.ts'
import { makeNodeRoutes, type NodeRoutes } from '#/routes/node-tld.ts'
import { replaceDomains } from '#/routes/replace-domains.ts'
import { makeResidueArtifact } from '#/routes/residue.ts'
import { followIngress, makeIngressKind } from '#/routes/routers/follow.ts'
import { makeRouterSites, type RouterSites } from '#/routes/routers/role.ts'
import {
  makePlacementKinds,
  publishMoved,
  publishMoves,
  restoreMoves,
  storeMoves,
  withdrawingMoved,
} from '#/routes/routers/placement.ts'
import { makeShow } from '#/routes/show.ts'
import { makeTargetSet } from '#/routes/target-set.ts'
import { makeTargetUnset } from '#/routes/target-unset.ts'
import { makeUpdate } from '#/routes/update.ts'
import type { WorkKind } from '#/work/api.ts'
import { makeLeafSource, makeRouteNames } from '#/routes/sites.ts'

export type { RoutesDeps } from '#/routes/deps.ts'

export interface RoutesDomain {
  readonly handlers: HandlersOf<`route:${'list' | 'show' | 'create' | 'update' | 'destroy' | 'target:set' | 'target:unset'}`>
  readonly locators: RouteLocators
  readonly names: RouteNames
  readonly leaves: LeafSource
  readonly residue: NodeArtifact
  readonly applicationUrls: NodeArtifact
  /** Fills the port of the Instances. */
  readonly forInstances: InstanceRoutes
  readonly checks: readonly FamilyChecks[]
  /** Routes that a Node serves, whatever their status. */
  countOn(nodeId: number, within?: Database): Promise<number>
  countInCluster(clusterId: number): Promise<number>
  /** The custom proxy that leads to a Process; undefined without one (RTE-165). */
  routeTo(processId: number): Promise<{ readonly id: number; readonly domain: string } | undefined>
  /** The Route of a domain, in whatever case it is asked for; undefined without one. */
  ofDomain(domain: string): Promise<{ readonly domain: string; readonly node_id: number | null } | undefined>
  /** For the role `router`. */
  readonly onRouters: RouterSites
  /** What is open to the public. */
  readonly edge: PublicEdge & {
    /** Stored with what ends the waiting of public Routes. */
    publishWaiting(db: Database, clusterId: number): Promise<void>
    /** The Routers of the Cluster that answer know its ingress. */
    followIngress(call: Call, clusterId: number): Promise<void>
  }
  /** For changes of Clusters. */
  readonly forClusters: Pick<
    ClusterRoutes,
    'concerned' | 'replace' | 'withdrawing' | 'store' | 'restore' | 'moved'
  > & {
    /** Before and after the names that the change wants are published. */
    publish(call: Call, change: ScopeChange, publishNames: () => Promise<void>): Promise<void>
    followRouter(call: Call, clusterId: number): Promise<void>
  }
  /** For changes of a Node. */
  readonly forNodes: NodeRoutes
  /** For changes of a Project. */
  readonly forProjects: ProjectRoutes
  readonly workKinds: readonly WorkKind[]
}

/** Domains and what they lead to. */
export const makeRoutes = (deps: RoutesDeps): RoutesDomain => ({
  handlers: {
    'route:list': makeList(deps),
    'route:show': makeShow(deps),
    'route:create': makeCreate(deps),
    'route:update': makeUpdate(deps),
    'route:destroy': makeDestroy(deps),
    'route:target:set': makeTargetSet(deps),
    'route:target:unset': makeTargetUnset(deps),
  },
  locators: makeRouteLocators(deps.store),
  names: makeRouteNames(deps),
  leaves: makeLeafSource(deps),
  residue: makeResidueArtifact(deps),
  applicationUrls: makeApplicationUrlArtifact(deps),
  forInstances: makeInstanceRoutes(deps),
  checks: [makeResidueChecks(deps)],
  onRouters: makeRouterSites(deps),
  countOn: (nodeId, within = deps.store.db) => countRoutesOn(within, nodeId),
  routeTo: async (processId) => (await routesWhere(deps.store.db, { process_id: processId }))[0],
  ofDomain: (domain) => findByDomain(deps.store.db, domain.toLowerCase()),
  countInCluster: (clusterId) => countRoutesIn(deps.store.db, clusterId),
  edge: {
    ...makePublicEdge(deps.store.db),
    publishWaiting: (db, clusterId) => publishWaiting(deps, db, clusterId),
    followIngress: (call, clusterId) => followIngress(deps, call, clusterId),
  },
  forClusters: {
    concerned: (change, db) => concernedRoutes(deps, change, db),
    replace: (call, changes) => replaceDomains(deps, call, changes),
    store: storeMoves,
    restore: restoreMoves,
    withdrawing: (clusterId, change) => withdrawingMoved(deps, clusterId, change),
    publish: (call, change, publishNames) => publishMoves(deps, call, change, publishNames),
    moved: (call, routeIds) => publishMoved(deps, call, routeIds),
    followRouter: (call, clusterId) => followRouter(deps, call, clusterId),
  },
  forNodes: makeNodeRoutes(deps),
  forProjects: makeProjectRoutes(deps),
  workKinds: [
    ...makePlacementKinds(deps),
    makeWaitingKind(deps),
    makeIngressKind(deps),
    makeFollowKind(deps),
  ],
})
