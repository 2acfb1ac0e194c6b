import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { OwnRoutes, TestDatabases } from '#/environment/ports.ts'
import type { Instances } from '#/instances/api.ts'
import type { Nodes } from '#/nodes/api.ts'

/** What the environment is built from. */
export interface EnvironmentDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly instances: Instances
  readonly nodes: Pick<Nodes, 'sessions'>
  readonly routes: OwnRoutes
  readonly databases: TestDatabases
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
}
