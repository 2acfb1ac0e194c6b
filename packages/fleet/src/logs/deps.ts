import type { Clock, Ids } from '@fleet/kernel'
import type { AgentViews } from '#/agents/api.ts'
import type { Environment } from '#/environment/api.ts'
import type { Instances } from '#/instances/api.ts'
import type { LogProcesses, LogPublisher } from '#/logs/ports.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { RealtimeDomain } from '#/realtime/api.ts'

export interface LogsDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly nodes: Pick<Nodes, 'find' | 'mayActOn' | 'sessions'>
  readonly instances: Pick<Instances, 'find'>
  readonly processes: LogProcesses
  /** The domain at which an Instance is served; undefined for one without a Route. */
  readonly domainOf: (instanceId: number) => Promise<string | undefined>
  /** Stored values of an Instance, which its log may show (LOGS-024). */
  readonly environment: Pick<Environment, 'stored'>
  readonly realtime: Pick<RealtimeDomain, 'servers'>
  readonly views: Pick<AgentViews, 'of' | 'subscriber'>
  readonly publisher: LogPublisher
  /** Of trouble in the background; never with a line. */
  readonly warn: (message: string, cause: unknown) => void
}
