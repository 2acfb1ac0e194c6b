import type { RoleName } from '@fleet/contract'
import type { Command } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import type { Row } from '@fleet/store'
import type { Call, Caller } from '#/call.ts'

/** A stored Node with the names of its active roles. */
export interface NodeRecord extends Row<'nodes'> {
  readonly activeRoles: readonly RoleName[]
}

export interface NodeRunOptions {
  /** Seconds; cut to what the call's deadline leaves for forward work. 900 when absent (GW-035). */
  readonly timeoutSeconds?: number
  /** Clean-up may use the whole rest of the deadline, not only the forward part. */
  readonly cleanup?: boolean
  readonly maxOutputBytes?: number
}

/**
 * Commands on a Node. Connection trouble becomes `node.unreachable`, `node.connection_lost`, `node.ssh_host_key_changed`,
 * `node.authentication_failed` or `command.deadline_exceeded`, each with `details.node` `{id, name}`;
 * a command that ran and failed is a result with its exit code.
 */
export interface NodeShell {
  run(call: Call, node: NodeRecord, command: Command, options?: NodeRunOptions): Promise<CommandResult>
}

/** What other domains may ask about Nodes. */
export interface Nodes {
  find(id: number): Promise<NodeRecord | undefined>
  findByAddress(address: string): Promise<NodeRecord | undefined>
  list(): Promise<NodeRecord[]>
  /** Node with the active gateway role, if it is active itself (GW-005). */
  gateway(): Promise<NodeRecord | undefined>
  /** Ids of the Nodes that the caller may address: itself and what it holds grants on (GW-009). */
  addressable(caller: Caller): Promise<ReadonlySet<number>>
  /** True when the caller is the gateway Node or holds a grant to the active one. */
  hasGatewayGrant(caller: Caller): Promise<boolean>
  isExcluded(projectId: number, nodeId: number): Promise<boolean>
  readonly shell: NodeShell
}
