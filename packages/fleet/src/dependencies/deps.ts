import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { SelectedReleases } from '#/dependencies/ports.ts'
import type { ProjectReader } from '#/dependencies/reader/reader.ts'
import type { Instances } from '#/instances/api.ts'
import type { Nodes } from '#/nodes/api.ts'

/** What the inventory is built from. */
export interface DependencyDeps {
  readonly store: Store
  readonly clock: Clock
  readonly instances: Instances
  readonly nodes: Nodes
  readonly releases: SelectedReleases
  /** Reads the texts; by default in this process, and large ones in a thread. */
  readonly reader?: ProjectReader
}
