import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Environment } from '#/environment/api.ts'
import type { ProjectCheckouts } from '#/instances/api.ts'
import type { NodeArtifact, Nodes } from '#/nodes/api.ts'
import type { ProjectRoutes } from '#/routes/api.ts'

export interface ProjectUpdatesDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Pick<Nodes, 'sessions'>
  readonly checkouts: ProjectCheckouts
  readonly routes: ProjectRoutes
  readonly environment: Pick<
    Environment,
    'isStored' | 'requireSynchronizable' | 'synchronizeHeld' | 'synchronizeUnder'
  >
  /** What runs on a Node and names the domain or the directory of an application. */
  readonly runtimes: readonly NodeArtifact[]
}
