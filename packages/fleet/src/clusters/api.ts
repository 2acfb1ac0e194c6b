export type { ClusterRecord, Clusters, MemberRecord, PlannedScope, RouteScope } from '#/clusters/record.ts'
export { makeClusterChecks } from './checks.ts'
export { blockerOf } from './rules.ts'
export { requireScopes } from './held-scopes.ts'
export { type ClustersDomain, type ClustersDeps, makeClusters } from './make.ts'
export { type UnsettledMove, unsettledMoves } from './lan.ts'
export type { ClusterMembership } from './membership.ts'
export {
  ANSWER_GRACE_MILLISECONDS,
  beginGrace,
  forgotten,
  isPostponed,
  type Withdrawal,
  withdrawingLater,
} from './grace.ts'
export type {
  ClusterLan,
  ClusterRoutes,
  DomainChange,
  MovingRoute,
  NodeMove,
  RouterServices,
  ScopeChange,
} from './ports.ts'
