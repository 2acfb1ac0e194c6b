import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Nodes } from '#/nodes/api.ts'
import type { Php } from '#/php/api.ts'
import type { Projects } from '#/projects/api.ts'
import type { InstanceCopies } from './copies/ports.ts'
import type {
  CreationDatabases,
  OwnedDatabases,
  InstanceDefinitions,
  InstanceEnvironments,
  InstanceFiles,
  InstanceMoves,
  InstanceRoutes,
  InstanceRuntime,
} from './ports.ts'
import type { ProductionHomes } from './production/homes.ts'
import type { RegistrationQueries } from './registration/queries.ts'
import type { ResidueQueries } from './residue/queries.ts'
import type { InstanceQueries } from './queries.ts'

/** What the domain is built from. */
export interface InstanceDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly nodes: Nodes
  readonly projects: Projects
  readonly routes: InstanceRoutes
  readonly runtime: InstanceRuntime
  readonly moves: InstanceMoves
  readonly definitions: InstanceDefinitions
  readonly environments: InstanceEnvironments
  readonly files: InstanceFiles
  readonly homes: ProductionHomes
  readonly php: Pick<Php['production'], 'versionFor' | 'converge'>
  readonly databases: CreationDatabases
  readonly ownedDatabases: OwnedDatabases
  readonly copies: InstanceCopies
  readonly queries: InstanceQueries
  readonly residues: ResidueQueries
  readonly registrations: RegistrationQueries
  /** Absolute directories of the gateway on its own Node, which nobody's checkout may hold. */
  readonly protectedPaths: readonly string[]
}
