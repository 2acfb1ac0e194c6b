import { type ClusterState, clusterStates, type ErrorCode } from '@fleet/contract'
import type { MovingRoute, NodeMove, ScopeChange } from '#/clusters/ports.ts'
import type { ClusterRecord, MemberRecord, RouteScope } from '#/clusters/record.ts'

type Standing = Pick<ClusterRecord, 'id' | 'state' | 'tld'>

export const isClusterState = (text: string): text is ClusterState =>
  clusterStates.some((state) => state === text)

/** The member whose `router` role is active (ROLE-009). */
export const routerOf = ({ members }: Pick<ClusterRecord, 'members'>): MemberRecord | undefined =>
  members.find(({ routerStatus }) => routerStatus === 'active')

/** Scope and effective top-level domain of a Node that is in the Cluster, or in none (CLU-013, CLU-023). */
export const scopeIn = (node: Pick<MemberRecord, 'tld'>, cluster: Standing | undefined): RouteScope =>
  cluster?.state === 'active'
    ? { clusterId: cluster.id, tld: cluster.tld ?? node.tld }
    : { clusterId: null, tld: node.tld }

/** What happens to the Routes of its Nodes when a Cluster becomes another. */
export function scopeChange(before: ClusterRecord, after: ClusterRecord): ScopeChange {
  const nodes = new Map([...before.members, ...after.members].map((node) => [node.id, node]))
  const moves = [...nodes.values()].map((node) => ({
    nodeId: node.id,
    before: scopeWithin(node, before),
    after: scopeWithin(node, after),
  }))
  return { clusterId: before.id, moves: moves.filter(isMove) }
}

/** The change back. */
export const reversed = ({ clusterId, moves }: ScopeChange): ScopeChange => ({
  clusterId,
  moves: moves.map(({ nodeId, before, after }) => ({ nodeId, before: after, after: before })),
})

/** True when a top-level domain takes effect: no cutover without an active Router (CLU-015). */
export const isCutover = (before: Standing, after: Standing): boolean =>
  after.state === 'active' && after.tld !== null && (before.state !== 'active' || before.tld !== after.tld)

/** True with a Router on a Node that is itself active. */
export const hasActiveRouter = (cluster: Pick<ClusterRecord, 'members'>): boolean =>
  routerOf(cluster)?.status === 'active'

/** The code that refuses a Node as a new member; undefined for one that may join (CLU-036, CLU-037, CLU-039). */
export function attachRefusal(cluster: ClusterRecord, node: MemberRecord): ErrorCode | undefined {
  if (node.status !== 'active') return 'cluster.node_inactive'
  if (node.cluster_id !== null) return 'cluster.membership_conflict'
  const isTaken = cluster.members.some(({ lan_ip }) => lan_ip !== null && lan_ip === node.lan_ip)
  return isTaken ? 'cluster.lan_ip_conflict' : undefined
}

/** The code that keeps a member; undefined for one that may leave (CLU-032, CLU-040, CLU-041). */
export function detachRefusal(cluster: ClusterRecord, member: MemberRecord): ErrorCode | undefined {
  if (member.routerStatus !== null) return 'cluster.router_detach_forbidden'
  if (member.hasIngress) return 'cluster.ingress_detach_forbidden'
  const sharesTld = cluster.state === 'active' && cluster.tld !== null && cluster.tld === member.tld
  return sharesTld ? 'cluster.tld_conflict' : undefined
}

/** Why a Route holds a change up. */
export interface Blocker {
  readonly code: ErrorCode
  readonly route: { readonly id: number; readonly domain: string }
}

/** The first Route that cannot follow (CLU-015, CLU-024, CLU-044); undefined when all can. */
export function blockerOf(
  routes: readonly MovingRoute[],
  change: ScopeChange,
  hasRouter: boolean,
): Blocker | undefined {
  for (const route of routes) {
    const move = change.moves.find(({ nodeId }) => nodeId === route.nodeId)
    const code = move && isTouched(route, move) ? routeRefusal(route, move, hasRouter) : undefined
    if (code) return { code, route: { id: route.id, domain: route.domain } }
  }
  return undefined
}

/** Ids of the Routes whose scope or domain the change is about. */
export const touchedBy = (routes: readonly MovingRoute[], { moves }: ScopeChange): readonly number[] =>
  routes.flatMap((route) => {
    const move = moves.find(({ nodeId }) => nodeId === route.nodeId)
    return move && isTouched(route, move) ? [route.id] : []
  })

function routeRefusal(route: MovingRoute, { after }: NodeMove, hasRouter: boolean): ErrorCode | undefined {
  if (after.clusterId !== null && !hasRouter) return 'cluster.router_required'
  if (route.isGenerated && after.tld === null) return 'route.tld_required'
  return route.isServedInPublic || !route.isMovable ? 'route.reconciliation_required' : route.refusal
}

// An explicit domain stays when only the top-level domain changes.
const isTouched = ({ isGenerated }: MovingRoute, { before, after }: NodeMove): boolean =>
  before.clusterId !== after.clusterId || (isGenerated && before.tld !== after.tld)

const scopeWithin = (node: MemberRecord, cluster: ClusterRecord): RouteScope =>
  scopeIn(node, cluster.members.some(({ id }) => id === node.id) ? cluster : undefined)

const isMove = ({ before, after }: NodeMove): boolean =>
  before.clusterId !== after.clusterId || before.tld !== after.tld
