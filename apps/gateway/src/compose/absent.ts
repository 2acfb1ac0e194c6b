import type {
  AgentWork,
  ClusterRoutes,
  LogProcesses,
  NodeServices,
  ProcessUsage,
  RouteNames,
} from '@fleet/fleet'

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

/** No task has a workspace. */
export const noWorkspaces: Pick<AgentWork, 'workspaces'> = { workspaces: () => Promise.resolve([]) }

/** No id is one of a Process, and none uses anything. */
export const noProcesses: LogProcesses & ProcessUsage = {
  find: () => Promise.resolve(undefined),
  sample: () => Promise.resolve([]),
}
