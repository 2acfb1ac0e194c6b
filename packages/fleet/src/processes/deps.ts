import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { AgentViews } from '#/agents/api.ts'
import type { Instances } from '#/instances/api.ts'
import type { ServiceDeps } from '#/managed-services/api.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { Projects } from '#/projects/api.ts'
import type {
  InstanceDomains,
  ProcessConnections,
  ProcessRoutes,
  ProcessServers,
  SelectedReleases,
} from '#/processes/ports.ts'

export interface ProcessesDeps extends ServiceDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Nodes
  readonly instances: Instances
  readonly projects: Pick<Projects, 'productionProcesses'>
  readonly views: Pick<AgentViews, 'runtimeStatusOf'>
  readonly domains: InstanceDomains
  readonly releases: SelectedReleases
  readonly databases: ProcessServers
  readonly connections: ProcessConnections
  readonly routes: ProcessRoutes
}
