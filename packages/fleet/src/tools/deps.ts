import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Nodes } from '#/nodes/api.ts'
import type { NeededPackages } from '#/tools/ports.ts'

export interface ToolsDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Pick<Nodes, 'find' | 'sessions'>
  /** Packages that Fleet needs on its Nodes. */
  readonly needed: NeededPackages
  /** Root folder of the Node; for tests on this machine. */
  readonly root?: string
}
