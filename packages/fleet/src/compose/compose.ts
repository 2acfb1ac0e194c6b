import { type Access, makeAccess } from '#/access/access.ts'
import type { Journal } from '#/activities/api.ts'
import type { AgentViewStore } from '#/agents/api.ts'
import type { Composition, Domains } from '#/compose/domains.ts'
import { makeDomains } from '#/compose/make-domains.ts'
import type { ComposeDeps } from '#/compose/deps.ts'
import { makeGatewayFacts } from '#/gateway/api.ts'
import type { Handlers } from '#/handler.ts'
import type { LogsDomain } from '#/logs/api.ts'
import type { Network } from '#/network/api.ts'
import type { NodeLifecycle } from '#/node-lifecycle/api.ts'
import type { NodeRegistry, Nodes, NodeUpdates, RoleHolders } from '#/nodes/api.ts'
import type { ProcessUsage, RealtimeDomain } from '#/realtime/api.ts'
import { closeInterruptedRoles } from '#/roles/api.ts'
import type { WorkKind } from '#/work/api.ts'

/** Every service of one gateway. */
export interface Services {
  readonly handlers: Handlers
  readonly access: Access
  readonly journal: Journal
  readonly registry: NodeRegistry
  readonly nodes: Nodes
  readonly updates: NodeUpdates
  readonly retarget: NodeLifecycle['retarget']
  readonly pinHostKey: NodeLifecycle['pinHostKey']
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

/** Builds every domain of one gateway, and what the process does with them. */
export function compose(deps: Composition): Services {
  const domains = makeDomains(deps)
  const { nodes, agents, lifecycle } = domains
  return {
    handlers: handlersOf(deps, domains),
    access: accessOf(domains),
    journal: domains.activities.journal,
    registry: nodes.registry,
    retarget: lifecycle.retarget,
    pinHostKey: lifecycle.pinHostKey,
    closeInterruptedRoles: () => closeInterruptedRoles(deps.store),
    nodes: nodes.nodes,
    updates: nodes.updates,
    realtime: domains.realtime,
    holders: nodes.holders,
    network: domains.network,
    workKinds: domains.workKinds,
    views: agents.views,
    managedNodes: () => agents.managedNodes(),
    logs: domains.logs,
    usage: domains.processes.usage,
  }
}

const handlersOf = (deps: Pick<ComposeDeps, 'facts'>, domains: Domains): Handlers => ({
  ...makeGatewayFacts(deps.facts).handlers,
  ...domains.activities.handlers,
  ...domains.nodes.handlers,
  ...domains.roleHandlers,
  ...domains.lifecycle.handlers,
  ...domains.realtime.handlers,
  ...domains.agents.handlers,
  ...domains.firewall.handlers,
  ...domains.clusters.handlers,
  ...domains.sourceHost.handlers,
  ...domains.github.handlers,
  ...domains.projects.handlers,
  ...domains.instances.handlers,
  ...domains.processes.handlers,
  ...domains.schedules.handlers,
  ...domains.tools.handlers,
  ...domains.routes.handlers,
  ...domains.environment.handlers,
  ...domains.databases.handlers,
  ...domains.dependencies.handlers,
  ...domains.deployments.handlers,
  ...domains.hibernation.handlers,
  ...domains.logs.handlers,
  ...domains.doctor.handlers,
})

/** Who may do what, over the records of all domains. */
export const accessOf = (domains: Domains): Access =>
  makeAccess({
    locators: {
      ...domains.activities.locators,
      ...domains.nodes.locators,
      ...domains.clusters.locators,
      ...domains.firewall.locators,
      ...domains.projects.locators,
      ...domains.instances.locators,
      ...domains.routes.locators,
      ...domains.databases.locators,
      ...domains.processes.locators,
      ...domains.schedules.locators,
      ...domains.deployments.locators,
      ...domains.tools.locators,
    },
    nodes: domains.nodes.nodes,
    projects: domains.projects.projects,
    clusters: domains.clusters.clusters,
    instances: domains.instances.instances,
    authenticateAgent: domains.agents.authenticate,
  })
