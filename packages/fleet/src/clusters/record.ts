import type { NodeIdentity } from '@fleet/contract'
import type { Row } from '@fleet/store'

/** A Node as Clusters see it. */
export interface MemberRecord
  extends NodeIdentity, Pick<Row<'nodes'>, 'status' | 'tld' | 'cluster_id' | 'wireguard_ip' | 'lan_ip'> {
  /** Status of its `router` role; null without one. */
  readonly routerStatus: string | null
  /** It carries the `ingress` role, whatever the status of that. */
  readonly hasIngress: boolean
}

/** A stored Cluster with its members by name. */
export interface ClusterRecord extends Row<'clusters'> {
  readonly members: readonly MemberRecord[]
}

/** Where the Routes of a Node belong and what their generated domains end in (CLU-013, CLU-023). */
export interface RouteScope {
  /** The active Cluster of the Node; null for a Node without one. */
  readonly clusterId: number | null
  /** The effective top-level domain: that of the active Cluster, else the Node's own. */
  readonly tld: string | null
}

/** The scope of a Node for which something was planned. */
export interface PlannedScope extends Pick<RouteScope, 'clusterId'> {
  readonly nodeId: number
  /** Undefined where no domain was made with it. */
  readonly tld?: string | null | undefined
}

/** What other domains may ask about Clusters. */
export interface Clusters {
  find(id: number): Promise<ClusterRecord | undefined>
  /** By name. */
  list(): Promise<ClusterRecord[]>
  scopeOf(node: Pick<Row<'nodes'>, 'cluster_id' | 'tld'>): Promise<RouteScope>
  /** The active Router, on an active Node; undefined without one. */
  routerOf(clusterId: number): Promise<MemberRecord | undefined>
}
