import type { Clock, Ids } from '@fleet/kernel'
import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'

/** What every domain is built from. A domain names the part it needs. */
export interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly ssh: SshPool
}
