import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { ActivityPublisher } from '#/activities/ports.ts'

export interface JournalDeps {
  readonly store: Store
  readonly clock: Clock
  readonly gatewayId: string
  readonly publisher: ActivityPublisher
}
