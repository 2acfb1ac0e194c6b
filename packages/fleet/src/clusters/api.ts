export type { ClusterRecord, Clusters, MemberRecord, RouteScope } from '#/clusters/record.ts'
export { blockerOf } from './rules.ts'
export { type ClustersDomain, type ClustersParts, makeClusters } from './make.ts'
export type { ClusterMembership } from './membership.ts'
export type {
  ClusterRoutes,
  DomainChange,
  MovingRoute,
  NodeMove,
  RouterServices,
  ScopeChange,
} from './ports.ts'
