import type { AgentViewStore, LogsDomain, RealtimeServers } from '@fleet/fleet'
import type { Clock, Ids } from '@fleet/kernel'
import type { Logger } from 'pino'

export interface SubscriberDeps {
  readonly servers: () => Promise<RealtimeServers>
  /** Nodes that have an agent. */
  readonly managedNodes: () => Promise<readonly number[]>
  /** The only trust. */
  readonly rootCertificate: string
  readonly views: AgentViewStore
  readonly logs: Pick<LogsDomain, 'channel'>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
}
