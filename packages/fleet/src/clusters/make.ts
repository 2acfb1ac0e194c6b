import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { makeCreate } from '#/clusters/create.ts'
import { makeDestroy } from '#/clusters/destroy.ts'
import { makeLanKinds } from '#/clusters/lan.ts'
import { type ClusterLocators, makeClusterLocators } from '#/clusters/locators.ts'
import { makeList } from '#/clusters/list.ts'
import { makeNodeAttach } from '#/clusters/node-attach.ts'
import { makeNodeDetach } from '#/clusters/node-detach.ts'
import type { ClusterLan, ClusterRoutes, RouterServices } from '#/clusters/ports.ts'
import { findCluster, findStanding, listClusters } from '#/clusters/queries.ts'
import { makeRouterClear } from '#/clusters/router-clear.ts'
import { makeRouterSet } from '#/clusters/router-set.ts'
import { routerOf, scopeIn } from '#/clusters/rules.ts'
import { makeShow } from '#/clusters/show.ts'
import { makeUpdate } from '#/clusters/update.ts'
import type { HandlersOf } from '#/handler.ts'
import { type ClusterMembership, makeMembership } from '#/clusters/membership.ts'
import type { Clusters } from '#/clusters/record.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { WorkKind } from '#/work/api.ts'

export interface ClustersDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Nodes
  readonly routes: ClusterRoutes
  readonly services: RouterServices
  readonly lan: ClusterLan
}

export type ClusterHandlers = HandlersOf<
  | `cluster:${'list' | 'show' | 'create' | 'update' | 'destroy'}`
  | `cluster:node:${'attach' | 'detach'}`
  | `cluster:router:${'set' | 'clear'}`
>

export interface ClustersDomain {
  readonly handlers: ClusterHandlers
  readonly locators: ClusterLocators
  readonly clusters: Clusters
  /** For enrolment and removal of Nodes. */
  readonly membership: ClusterMembership
  readonly workKinds: readonly WorkKind[]
}

/** Nodes that share a Router and a top-level domain. */
export const makeClusters = (deps: ClustersDeps): ClustersDomain => ({
  handlers: makeHandlers(deps),
  locators: makeClusterLocators(deps.store),
  clusters: makeLookups(deps.store),
  membership: makeMembership(deps),
  workKinds: makeLanKinds(deps),
})

const makeHandlers = (deps: ClustersDeps): ClusterHandlers => {
  const { store, clock, nodes, routes } = deps
  return {
    'cluster:list': makeList(store, nodes),
    'cluster:show': makeShow(store),
    'cluster:create': makeCreate(store, clock),
    'cluster:update': makeUpdate(store, routes),
    'cluster:destroy': makeDestroy(store, routes),
    'cluster:node:attach': makeNodeAttach(deps, nodes),
    'cluster:node:detach': makeNodeDetach(deps),
    'cluster:router:set': makeRouterSet(deps),
    'cluster:router:clear': makeRouterClear(deps),
  }
}

const makeLookups = ({ db }: Store): Clusters => ({
  find: (id) => findCluster(db, id),
  list: () => listClusters(db),
  scopeOf: async (node) =>
    scopeIn(node, node.cluster_id === null ? undefined : await findStanding(db, node.cluster_id)),
  routerOf: async (id) => {
    const cluster = await findCluster(db, id)
    const router = cluster && routerOf(cluster)
    return router?.status === 'active' ? router : undefined
  },
})
