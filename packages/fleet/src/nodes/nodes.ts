import type { ExclusionData, NodeIdentity, RoleName } from '@fleet/contract'
import type { Call, Caller } from '#/call.ts'
import type { CallerRecord, NodeEntry, NodeRecord } from '#/nodes/record.ts'
import type { NodeSession } from '#/nodes/session/session.ts'

export interface Sessions {
  /** Tunnel address, managed user (another one during enrolment), pinned host key: how every enrolled Node is reached. */
  overTunnel(call: Call, node: NodeRecord, user?: string): NodeSession
  /** Public SSH host and port of the record and the pinned host key, before there is a tunnel (NODE-050 to NODE-053). */
  overPublicSsh(call: Call, node: NodeRecord, user: string): NodeSession
}

/** Projects that a Node does not take for development (NODE-113 to NODE-119). */
export interface Exclusions {
  /** By Project slug. */
  ofNode(nodeId: number): Promise<ExclusionData[]>
  /** By Node name. */
  ofProject(projectId: number): Promise<ExclusionData[]>
  /** Throws `project.excluded_node_not_app_dev`; a stored pair stays. */
  add(projectId: number, node: NodeRecord): Promise<ExclusionData & { readonly already_exists: boolean }>
  /** Throws `project.excluded_node_missing` for a pair that is not stored. */
  remove(projectId: number, node: NodeRecord): Promise<ExclusionData & { readonly already_exists: boolean }>
}

/** What other domains may ask about Nodes. */
export interface Nodes {
  find(id: number): Promise<NodeRecord | undefined>
  /** By tunnel address, whatever the status. */
  findCaller(address: string): Promise<CallerRecord | undefined>
  /** All Nodes by name. */
  list(): Promise<NodeRecord[]>
  identity(id: number): Promise<NodeIdentity | undefined>
  /** `{id, name}` of those that exist, by id. */
  identities(ids: readonly number[]): Promise<NodeIdentity[]>
  /** Node with the active gateway role, if it is active itself (GW-005). */
  gateway(): Promise<NodeRecord | undefined>
  /** Nodes that have the role, whatever its status, by id. */
  holdersOf(role: RoleName): Promise<NodeIdentity[]>
  /** True when the consumer may act on the serving Node: itself always (GW-007), others by a stored grant (GRANT-001). */
  mayActOn(consumerId: number, servingId: number): Promise<boolean>
  /** Ids of the Nodes that the caller may address: itself and what it holds grants on (GW-009). */
  addressable(caller: Caller): Promise<ReadonlySet<number>>
  /** True when the caller is the gateway Node or holds a grant to the active one. */
  hasGatewayGrant(caller: Caller): Promise<boolean>
  /** Tunnel addresses of all Nodes that are not active or have no access to the gateway: for what outlives the request that asked for it. */
  barredAddresses(): Promise<readonly string[]>
  isExcluded(projectId: number, nodeId: number): Promise<boolean>
  /** True when the Node answers over its tunnel within some seconds, with its own host key. */
  answers(call: Call, node: NodeRecord): Promise<boolean>
  readonly exclusions: Exclusions
  readonly sessions: Sessions
}

/** Enters Nodes without provisioning: for machines that somebody else prepared. */
export interface NodeRegistry {
  /**
   * Idempotent by tunnel address, else by name. A stored Node takes the entry's connection facts and missing roles;
   * its name, apps path and grants are operators' choices by then and stay.
   */
  put(entry: NodeEntry): Promise<NodeRecord>
}
