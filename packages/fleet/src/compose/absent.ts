import type { AgentWork } from '#/agents/api.ts'
import type { ProductionPhp } from '#/deployments/api.ts'
import type { Exporters, OwnedRecords } from '#/roles/api.ts'

// What domains that do not exist yet would answer. Each goes when its domain comes.

/** No Node can hold the role `metrics`, so nobody reads exporters. */
export const noExporters: Exporters = {
  reconcile: () => Promise.resolve(),
  withdraw: () => Promise.resolve(),
  revokeAccess: () => Promise.resolve(),
}

const none = (): Promise<number> => Promise.resolve(0)

/** No Node has a Route. */
export const noLaterRecords: Omit<
  OwnedRecords,
  'instances' | 'firewallRules' | 'processes' | 'schedules' | 'dropProcesses' | 'databaseServers'
> = {
  routes: none,
  dependentRoutes: none,
}

/** No Route is public. */
export const noPublicRoutes = { servesPublicRoutes: () => Promise.resolve(false) }

/** No production Instance has a PHP service of its own. */
export const noProductionPhp: ProductionPhp = {
  hasService: () => Promise.resolve(false),
  refresh: () => Promise.resolve(),
}

/** No task has a workspace. */
export const noWorkspaces: Pick<AgentWork, 'workspaces'> = { workspaces: () => Promise.resolve([]) }
