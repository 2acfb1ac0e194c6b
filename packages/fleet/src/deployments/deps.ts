import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { ClusterEdge, ProductionPhp, ReleaseAccess } from '#/deployments/ports.ts'
import type { Environment } from '#/environment/api.ts'
import type { Instances } from '#/instances/api.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { ProjectsDomain } from '#/projects/api.ts'

/** What the domain is built from. */
export interface DeploymentsDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Pick<Nodes, 'sessions'>
  readonly instances: Instances
  readonly projects: Pick<ProjectsDomain['projects'], 'steps' | 'login'>
  readonly environment: Pick<Environment, 'synchronizeHeld' | 'stored'>
  readonly php: ProductionPhp
  readonly access: ReleaseAccess
  readonly edge: ClusterEdge
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
}
