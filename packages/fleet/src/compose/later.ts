import type { Some } from '#/compose/domains.ts'
import { asked } from '#/compose/late.ts'
import { makeOwnRoutes } from '#/routes/api.ts'

/** What a domain asks of one that is made from it, and what no domain answers yet. */
export const LATER = {
  clusterRoutes: (all) => ({
    countOwned: (clusterId) => all.routes.countInCluster(clusterId),
    concerned: (...given) => all.routes.forClusters.concerned(...given),
    replace: (...given) => all.routes.forClusters.replace(...given),
    publish: (call, change, cluster) =>
      all.routes.forClusters.publish(call, change, () => all.dns.publishAs(call, cluster)),
    withdrawing: (...given) => all.routes.forClusters.withdrawing(...given),
    store: (...given) => all.routes.forClusters.store(...given),
    restore: (...given) => all.routes.forClusters.restore(...given),
    moved: (...given) => all.routes.forClusters.moved(...given),
    settle: (call) => all.dns.names.publish(call),
    followRouter: (call, clusterId) => all.routes.forClusters.followRouter(call, clusterId),
  }),
  routeNames: (all) => ({ list: () => all.routes.names.list() }),
  publicRoutes: (all) => ({ servesPublicRoutes: (nodeId) => all.routes.edge.servesPublicRoutes(nodeId) }),
  ownRoutes: makeOwnRoutes,
  instanceRoutes: (all) => asked(() => all.routes.forInstances),
} satisfies Some
