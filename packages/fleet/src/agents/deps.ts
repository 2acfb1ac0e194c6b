import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { AgentGateway } from '#/agents/ports.ts'
import type { ServiceDeps } from '#/managed-services/api.ts'

export interface AgentsDeps extends ServiceDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly gateway: AgentGateway
}
