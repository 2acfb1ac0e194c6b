import type { ArtifactName, ErrorCode, RoleName } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Machine, NodeRecord } from '#/nodes/api.ts'

/** What Nodes need from the domain of Instances, which stands above them. */
export interface CheckoutPaths {
  /** Absolute checkout paths of the Instances on a Node. */
  pathsOn(nodeId: number): Promise<readonly string[]>
  /** Development Instances per Project on a Node, for exclusion records. */
  developmentCounts(nodeId: number): Promise<ReadonlyMap<number, number>>
}

/** Rules that Fleet itself keeps in the firewall of a machine. Each call may be repeated. Throws `firewall.*` codes and those of Machine. */
export interface NodeFirewall {
  /** Over public SSH: the recovery rule for its port first, then the firewall on. Never the other way round (NODE-051, NODE-129). */
  bootstrap(machine: Machine, publicSshPort: number): Promise<void>
  /** Admits every tunnel peer on the tunnel interface to the Node's tunnel address (NODE-053, FW-028). */
  admitMembers(machine: Machine): Promise<void>
  openPublicSsh(machine: Machine): Promise<void>
  /** Only after the member rule is there and answers: the way over the tunnel must stay (NODE-066). */
  closePublicSsh(machine: Machine): Promise<void>
  /** Rules of one role, such as HTTPS of the gateway or the hub's UDP port. */
  applyRole(machine: Machine, role: RoleName): Promise<void>
  withdrawRole(machine: Machine, role: RoleName): Promise<void>
}

/** The private network. Each call may be repeated. Throws `vpn.*` codes and those of Machine. */
export interface Tunnel {
  /** Throws `node.capability_missing` for a gateway without a private network, such as the embedded one. */
  requireConfigured(): Promise<void>
  /** A free address of the fleet's range, or the wanted one. Throws `vpn.address_invalid`, `vpn.address_taken`, `vpn.range_exhausted`. */
  allocate(wanted: string | null): Promise<string>
  /**
   * Step 4, over public SSH: keys on the machine, its peer on the hub without disturbing others, its tunnel up, and SSH
   * over the tunnel answering with the pinned key. For the Node that is to be the hub it makes the hub. The private key
   * never leaves the machine (NODE-053).
   */
  join(machine: Machine, options: { readonly isHub: boolean }): Promise<{ readonly publicKey: string }>
  /** Writes the hub's peer list as the records want it; false when the hub had it already. */
  publish(call: Call): Promise<boolean>
  /** Publishes without this Node, whose record still stands (step `wireguard-projection`). True when its peer was there. */
  leave(call: Call, node: NodeRecord): Promise<boolean>
  /** Takes a leave back: until then, or until it joins again, no publication admits the Node (step `wireguard-rollback`). */
  rejoin(call: Call, node: NodeRecord): Promise<void>
  /** The first active role moves a Node to managed DNS, losing the last one back to the `DNS` line (NODE-065, NODE-066, NODE-130, NODE-131). */
  applyResolver(machine: Machine, managed: boolean): Promise<void>
}

/** The fleet's own DNS answers. */
export interface PrivateDns {
  /** Renders the catalog from the records and waits until the listener has loaded it (RTX-105). Does nothing without a `vpn` Node. */
  publish(call: Call): Promise<void>
  /** The same as if the Node were gone; the number of names that went with it. */
  publishWithout(call: Call, node: NodeRecord): Promise<number>
}

/** One named part of making a role work on a machine, or of taking it away. It may be repeated. */
export interface RoleStep {
  readonly name: string
  /** The role works without it: a failure is told and left to Doctor. */
  readonly isOptional?: boolean
  run(machine: Machine): Promise<void>
}

/** What every role needs on a machine. */
export interface RoleServices {
  /** Throws `node.capability_missing`, `node.tld_required` or `validation.failed` before anything changes. */
  requireCapable(machine: Machine, role: RoleName): Promise<void>
  convergence(role: RoleName): readonly RoleStep[]
  removal(role: RoleName, options: { readonly purgeData: boolean }): readonly RoleStep[]
}

/** The small process that watches a Node, and its files. Throws `agent.*` codes and those of Machine. */
export interface NodeAgent {
  /** Installs or upgrades it; `unchanged` restarts nothing (AGT-021). */
  converge(machine: Machine, options: { readonly force: boolean }): Promise<'applied' | 'unchanged'>
  /** Digest of what `converge` would install, from the gateway's own code and pins (NODE-121). */
  digest(node: NodeRecord): Promise<string>
  remove(machine: Machine): Promise<void>
}

/** Something else that the gateway installs on Nodes and applies again when its own code has changed (NODE-120, NODE-121). */
export interface NodeArtifact {
  readonly name: Exclude<ArtifactName, 'agent'>
  /** Digest of what `converge` would install, from the gateway's own code and pins; undefined for a Node that has none of it. */
  digest(node: NodeRecord): Promise<string | undefined>
  /** `skipped` leaves the Node as it was, with the code of the reason (NODE-122). Throws its own codes and those of Machine. */
  converge(machine: Machine, options: { readonly force: boolean }): Promise<ArtifactResult>
}

export type ArtifactResult = 'applied' | 'unchanged' | { readonly skipped: ErrorCode }

/** Metrics exporters; nothing to do while no Node holds the `metrics` role. */
export interface Exporters {
  reconcile(call: Call, node: NodeRecord): Promise<void>
  withdraw(call: Call, node: NodeRecord): Promise<void>
  /** Ends the Grafana sessions of a peer that loses its access. */
  revokeAccess(call: Call, node: NodeRecord): Promise<void>
}

/** Step 5: the `apt` Tool manager of a Node (NODE-054). Throws `node.tool_manager_locked`. */
export interface ToolManagers {
  ensureApt(machine: Machine): Promise<void>
}

/** Membership in a Cluster, under its own guards (NODE-043). */
export interface ClusterMembership {
  /** Throws the attach refusals of Clusters for a Node as it is going to be. */
  requireAttachable(call: Call, clusterId: number, node: NodeRecord): Promise<void>
  /** Under the same guards; a member stays. The Node may still be `provisioning`. */
  attach(call: Call, clusterId: number, nodeId: number): Promise<void>
  /** Takes back an attach of an enrolment that did not end. */
  detach(call: Call, clusterId: number, nodeId: number): Promise<void>
  /** Takes a Node that is being removed out of its Cluster's Router rules (step `router-lan-ingress`). */
  withdrawLanAccess(call: Call, node: NodeRecord): Promise<void>
  /** Step 6: Router LAN access of the Node's Cluster. */
  updateLanAccess(call: Call, node: NodeRecord): Promise<void>
  /** Top-level domain of the Node's active Cluster, or null. */
  tldOf(node: NodeRecord): Promise<string | null>
}

/** What other domains hold on a Node; each non-zero number refuses its removal (NODE-090). */
export interface OwnedState {
  instances(nodeId: number): Promise<number>
  /** Routes that the Node serves, whatever their status. */
  routes(nodeId: number): Promise<number>
  /** Active Routes of others that depend on the Node. */
  dependentRoutes(nodeId: number): Promise<number>
  schedules(nodeId: number): Promise<number>
  processes(nodeId: number): Promise<number>
  firewallRules(nodeId: number): Promise<number>
  databaseServers(nodeId: number): Promise<number>
  /** Deletes the Process records of a Node that is removed offline (NODE-095). */
  dropProcesses(call: Call, nodeId: number): Promise<void>
}

/** Everything from above that enrolment, roles and removal of a Node need. */
export interface NodeServices {
  readonly firewall: NodeFirewall
  readonly tunnel: Tunnel
  readonly dns: PrivateDns
  readonly roles: RoleServices
  readonly agent: NodeAgent
  /** In the order of an answer, after the agent. */
  readonly artifacts: readonly NodeArtifact[]
  readonly exporters: Exporters
  readonly toolManagers: ToolManagers
  readonly membership: ClusterMembership
  readonly owned: OwnedState
}
