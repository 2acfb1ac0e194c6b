import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'

export interface ToolsParts {
  readonly store: Store
  readonly clock: Clock
}
