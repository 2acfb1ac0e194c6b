import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { AgentPlace } from '#/agents/place.ts'
import type { AgentGateway } from '#/agents/ports.ts'
import type { ExecutablePlace, NodeExecutables } from '#/nodes/api.ts'

export interface AgentsParts {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly executables: NodeExecutables
  readonly gateway: AgentGateway
  /** Other places for tests that run the real scripts on this machine. */
  readonly places?: { readonly agent: AgentPlace; readonly executable: ExecutablePlace }
}
