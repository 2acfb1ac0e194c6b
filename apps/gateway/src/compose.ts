import {
  closeInterruptedRoles,
  makeAccess,
  makeDoctor,
  makeGatewayFacts,
  nodeChecks,
  staleUpdatesKind,
} from '@fleet/fleet'
import type {
  Access,
  AgentViewStore,
  Handlers,
  Journal,
  LogsDomain,
  Network,
  NodeRegistry,
  Nodes,
  NodeLifecycle,
  NodeUpdates,
  ProcessUsage,
  RealtimeDomain,
  RoleHolders,
  WorkKind,
} from '@fleet/fleet'
import { noProcesses, noWorkspaces } from './compose/absent.ts'
import { composeMachines, type MachineDomains } from './compose/machines.ts'
import type { ComposeParts } from './compose/parts.ts'
import { composeWork } from './compose/work.ts'

export type { ComposeParts } from './compose/parts.ts'

/** Every service of one gateway. */
export interface Services {
  readonly handlers: Handlers
  readonly access: Access
  readonly journal: Journal
  readonly registry: NodeRegistry
  readonly nodes: Nodes
  readonly updates: NodeUpdates
  readonly retarget: NodeLifecycle['retarget']
  readonly realtime: RealtimeDomain
  readonly holders: RoleHolders
  readonly network: Network
  /** What this gateway does without a request. */
  readonly workKinds: readonly WorkKind[]
  readonly views: AgentViewStore
  /** Ids of the Nodes that have an agent. */
  readonly managedNodes: () => Promise<readonly number[]>
  readonly logs: LogsDomain
  readonly usage: ProcessUsage
  /** For the start: ends the role changes of a gateway that died in the middle; how many there were. */
  closeInterruptedRoles(): Promise<number>
}

/** Builds each service once, lowest first. What a domain needs from one above it is bound late, through its port. */
export function compose(parts: ComposeParts): Services {
  const machines = composeMachines(parts, {
    ...noWorkspaces,
    logStreams: (nodeId) => work.logs.work.logStreams(nodeId),
  })
  const work: ReturnType<typeof composeWork> = composeWork(parts, machines)
  const { activities, nodes, realtime, network } = machines
  return {
    handlers: {
      ...makeGatewayFacts(parts.facts).handlers,
      ...activities.handlers,
      ...nodes.handlers,
      ...machines.roleHandlers,
      ...machines.lifecycle.handlers,
      ...realtime.handlers,
      ...machines.agents.handlers,
      ...machines.firewall.handlers,
      ...machines.clusters.handlers,
      ...work.projects.handlers,
      ...work.instances.handlers,
      ...work.environment.handlers,
      ...work.logs.handlers,
      ...composeDoctor(parts, machines).handlers,
    },
    access: makeAccess({
      ...parts,
      nodes: nodes.nodes,
      clusters: machines.clusters.clusters,
      firewall: machines.firewall.firewall,
      projects: work.projects.projects,
      instances: work.instances.instances,
      processes: noProcesses,
      authenticateAgent: machines.agents.authenticate,
    }),
    journal: activities.journal,
    registry: nodes.registry,
    retarget: machines.lifecycle.retarget,
    closeInterruptedRoles: () => closeInterruptedRoles(parts.store),
    nodes: nodes.nodes,
    updates: nodes.updates,
    realtime,
    holders: nodes.holders,
    network,
    workKinds: [...machines.workKinds, staleUpdatesKind(nodes.updates)],
    views: machines.agents.views,
    managedNodes: () => machines.agents.managedNodes(),
    logs: work.logs,
    usage: noProcesses,
  }
}

/** Each domain adds its part of a family; a family without any has nothing to check yet. */
const composeDoctor = (
  parts: ComposeParts,
  { nodes, agents, roles, network, dns, certificates, websocket, firewall }: MachineDomains,
) =>
  makeDoctor({
    ...parts,
    nodes: nodes.nodes,
    families: [
      nodeChecks,
      agents.checks,
      roles.checks,
      network.checks,
      dns.checks,
      certificates.checks,
      websocket.checks,
      ...firewall.checks,
    ],
  })
