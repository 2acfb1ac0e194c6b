import type { AgentWork, ClusterRoutes, NodeServices, RouteNames } from '@fleet/fleet'

// What domains that do not exist yet would say. Each goes when its domain comes.

/** No Node can hold the role `metrics`, so nobody reads exporters. */
export const noExporters: NodeServices['exporters'] = {
  reconcile: () => Promise.resolve(),
  withdraw: () => Promise.resolve(),
  revokeAccess: () => Promise.resolve(),
}

/** No Cluster owns a Route, no change moves one, none has a name, no Instance has one of its own, none is public. */
export const noClusterRoutes: Pick<ClusterRoutes, 'countOwned' | 'concerned'> = {
  countOwned: () => Promise.resolve(0),
  concerned: () => Promise.resolve([]),
}
export const noRouteNames: RouteNames = { list: () => Promise.resolve([]) }
export const noOwnRoutes = { ownRoute: () => Promise.resolve(undefined) }
export const noPublicRoutes = { servesPublicRoutes: () => Promise.resolve(false) }

/** No task has a workspace and no log has a stream. */
export const noAgentWork: AgentWork = {
  workspaces: () => Promise.resolve([]),
  logStreams: () => Promise.resolve([]),
}
