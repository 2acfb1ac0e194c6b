import type { ClusterMembership, Machine, NodeFirewall, RoleStep } from '#/nodes/api.ts'

/** The hub of the private network and its DNS on the `vpn` Node. Each call may be repeated. Throws codes of its own. */
export interface VpnRuntime {
  /** The hub's interface is up and knows the peers that the records want. */
  ensureHub(machine: Machine): Promise<void>
  /** The private DNS listener is installed, runs and answers from the published catalog. */
  ensureDns(machine: Machine): Promise<void>
}

/** The server of the feed on the `websocket` Node. */
export interface WebsocketRuntime {
  /** Throws `node.capability_missing` for a gateway without a private network. */
  requireCapable(machine: Pick<Machine, 'node'>): Promise<void>
  readonly convergence: readonly RoleStep[]
  readonly removal: readonly RoleStep[]
}

export interface RoleRuntime {
  readonly firewall: Pick<NodeFirewall, 'applyRole' | 'withdrawRole'>
  readonly membership: Pick<ClusterMembership, 'tldOf'>
  readonly vpn: VpnRuntime
  readonly websocket: WebsocketRuntime
}
