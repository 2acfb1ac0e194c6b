import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { TransferRequest } from '#/instances/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/** Metrics exporters; nothing to do while no Node holds the `metrics` role. */
export interface Exporters {
  reconcile(call: Call, node: NodeRecord): Promise<void>
  withdraw(call: Call, node: NodeRecord): Promise<void>
  /** Ends the Grafana sessions of a peer that loses its access. */
  revokeAccess(call: Call, node: NodeRecord): Promise<void>
}

/** What other domains hold on a Node; each refuses its removal (NODE-090). */
export interface OwnedRecords {
  instances(nodeId: number, db?: Database): Promise<number>
  /** What finishes each open transfer of an Instance to the Node, or of which it still has the old checkout. */
  openTransfers(nodeId: number, db?: Database): Promise<readonly TransferRequest[]>
  /** Routes that the Node serves, whatever their status. */
  routes(nodeId: number, db?: Database): Promise<number>
  /** Active Routes of others that depend on the Node. */
  dependentRoutes(nodeId: number): Promise<number>
  /** Domains of the public Routes that need the Node as their ingress, open or not. */
  publicDomains(nodeId: number): Promise<readonly string[]>
  schedules(nodeId: number): Promise<number>
  processes(nodeId: number): Promise<number>
  firewallRules(nodeId: number): Promise<number>
  databaseServers(nodeId: number): Promise<number>
  /** Deletes the Process records of a Node that is removed offline, in the transaction that deletes its own (NODE-095). */
  dropProcesses(tx: Database, call: Call, nodeId: number): Promise<void>
}
