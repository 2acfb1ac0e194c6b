import type { ErrorCode } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { ClusterRecord, MemberRecord, PlannedScope, RouteScope } from '#/clusters/record.ts'

/** One Node whose Routes a change of its Cluster moves. */
export interface NodeMove {
  readonly nodeId: number
  readonly before: RouteScope
  readonly after: RouteScope
}

/** What a change of a Cluster does to the Routes of its Nodes; Nodes that nothing happens to are left out. */
export interface ScopeChange {
  readonly clusterId: number
  readonly moves: readonly NodeMove[]
}

/** A Route of a Node that a change concerns. */
export interface MovingRoute {
  readonly id: number
  readonly domain: string
  /** The Node whose scope it shares, and whose top-level domain it ends in when it was generated. */
  readonly nodeId: number
  readonly isGenerated: boolean
  /** Status `active` and publication `public`. */
  readonly isServedInPublic: boolean
  /** It would have a valid domain, scope and target after the change. */
  readonly isMovable: boolean
  /** Its generated domain after the change, where that is another one. */
  readonly nextDomain?: string
  /** Why it cannot have that domain. */
  readonly refusal?: ErrorCode
}

/** A Route that gets another domain, which it does as another Route. */
export interface DomainChange {
  readonly routeId: number
  readonly domain: string
  /** For which the domain was made; where it is another one by then, nothing is replaced. */
  readonly scope?: PlannedScope
}

/** What Clusters need from Routes, which are above them. */
export interface ClusterRoutes {
  /** Routes with the Cluster as their scope, whatever their status. */
  countOwned(clusterId: number): Promise<number>
  /** The Routes of all Nodes of the change; within a transaction as that has them. */
  concerned(change: ScopeChange, db?: Database): Promise<readonly MovingRoute[]>
  /**
   * Replaces Routes by others with these domains, all at once and in the scope that they have now; each domain is answered by
   * its own name before its top-level domain takes effect. Resolves to the ids of the replacements, in this order. The identical
   * call resumes one that did not finish.
   */
  replace(call: Call, changes: readonly DomainChange[]): Promise<readonly number[]>
  /**
   * Publishes Router sites and DNS answers as the change wants them, with the Cluster as it is going to be. Runs before the
   * change is stored (CLU-016), and with the sides swapped when it could not be stored. Leaves the earlier answers in
   * place when it throws.
   */
  publish(call: Call, change: ScopeChange, cluster: ClusterRecord): Promise<void>
  /**
   * Stores the scopes of these Routes in the transaction of the change. Throws `route.reconciliation_required` when they are not the
   * Routes of its Nodes any more: another one was created meanwhile.
   */
  store(db: Database, change: ScopeChange, routeIds: readonly number[]): Promise<void>
  /**
   * Runs a change of the Cluster. What its Routers have of Routes that are not its own by then goes after the grace, which is counted
   * from the end of the change: names of before may have been published until then (RTX-043).
   */
  withdrawing(clusterId: number, change: () => Promise<void>): Promise<void>
  /** Stores the scopes that these Routes had before; whatever else is on the Nodes stays as it is. */
  restore(db: Database, change: ScopeChange, routeIds: readonly number[]): Promise<void>
  /** Tells clients about Routes whose scope has changed. */
  moved(call: Call, routeIds: readonly number[]): Promise<void>
  /** Publishes DNS answers as the records are: another publication between that one and the record knew nothing of it. */
  settle(call: Call): Promise<void>
  /** The ingress of the Cluster, where it has one that answers, leads to the active Router (CLU-026). */
  followRouter(call: Call, clusterId: number): Promise<void>
}

/** What makes a Node serve as Router. Each may be repeated; a failure has the step in `details.step`. */
export interface RouterServices {
  /** Throws `node.capability_missing` when the services of a Router cannot be managed on the Node. Changes nothing. */
  requireCapable(call: Call, node: MemberRecord): Promise<void>
  /** Sites, keys, firewall and DNS answers of the candidate, beside those of the Router that serves (CLU-026). */
  converge(call: Call, clusterId: number, candidate: MemberRecord): Promise<void>
  /** Takes away what only a Router has. */
  withdraw(call: Call, clusterId: number, node: MemberRecord): Promise<void>
}

/** A Node of a Cluster as it is going to be; what is absent is as stored. */
export interface LanMembership {
  readonly clusterId: number
  readonly node: Pick<MemberRecord, 'id' | 'lan_ip'>
  readonly isMember?: boolean
}

/** What Clusters need from firewalls, which are above them. */
export interface ClusterLan {
  /**
   * The rules between Routers and members on the LAN, on every Node that the change concerns and that answers (FW-031). May be
   * repeated. Throws `router.lan_ingress_failed`.
   */
  converge(call: Call, change: LanMembership): Promise<void>
}
