import type { NodeIdentity, NodeStatus, RoleName } from '@fleet/contract'
import type { NewRow, Row } from '@fleet/store'

/** A stored Node with the names of its active roles. */
export interface NodeRecord extends Row<'nodes'> {
  readonly activeRoles: readonly RoleName[]
}

/** What a request needs to know of the Node that sent it. */
export interface CallerRecord extends NodeIdentity {
  readonly status: string
  readonly isGateway: boolean
}

/** A Node as somebody other than provisioning enters it. */
export interface NodeEntry extends Omit<
  NewRow<'nodes'>,
  'id' | 'created_at' | 'provisioned_at' | 'status' | 'wireguard_ip'
> {
  readonly status: NodeStatus
  readonly wireguard_ip: string
  /** Stored as active. A role that is stored already and not named stays. */
  readonly roles: readonly RoleName[]
  /** Names of stored Nodes that the new one may act on, and of those that may act on it. */
  readonly access: { readonly to: readonly string[]; readonly by: readonly string[] }
}
