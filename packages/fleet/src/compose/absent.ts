import type { AgentWork } from '#/agents/api.ts'
import type { Exporters } from '#/roles/api.ts'

// What domains that do not exist yet would answer. Each goes when its domain comes.

/** No Node can hold the role `metrics`, so nobody reads exporters. */
export const noExporters: Exporters = {
  reconcile: () => Promise.resolve(),
  withdraw: () => Promise.resolve(),
  revokeAccess: () => Promise.resolve(),
}

/** No task has a workspace. */
export const noWorkspaces: Pick<AgentWork, 'workspaces'> = { workspaces: () => Promise.resolve([]) }
