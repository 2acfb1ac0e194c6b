import type { AgentWork, NodeChannel } from '#/agents/api.ts'
import type { HandlersOf } from '#/handler.ts'
import { makeInstanceLogClose, makeProcessLogClose } from '#/logs/close.ts'
import { makeInstanceLogOpen, makeProcessLogOpen } from '#/logs/open.ts'
import type { LogsDeps } from '#/logs/deps.ts'
import { makeProcessLogs } from '#/logs/logs.ts'
import { makeInstanceLogs } from '#/logs/read.ts'
import { makeQueue } from '#/logs/queue.ts'
import { LogRelay } from '#/logs/relay.ts'
import { makeInstanceLogRenew, makeProcessLogRenew } from '#/logs/renew.ts'
import { ConnectedAgents } from '#/logs/connected-agents.ts'
import { LogStreams } from '#/logs/streams.ts'
import { sweep } from '#/logs/sweep.ts'

export interface LogsDomain {
  readonly handlers: HandlersOf<
    | 'instance:logs'
    | 'instance:queue'
    | 'process:logs'
    | 'instance:log-stream:open'
    | 'instance:log-stream:renew'
    | 'instance:log-stream:close'
    | 'process:log-stream:open'
    | 'process:log-stream:renew'
    | 'process:log-stream:close'
  >
  /** What the agent of a Node is to read (AGT-006). */
  readonly work: Pick<AgentWork, 'logStreams'>
  /** The log channel of a Node, for the gateway's subscriber. */
  channel(nodeId: number): NodeChannel
  /** Carries lines to clients until the signal aborts. */
  relay(signal: AbortSignal): Promise<void>
  /** To be run every 5 s (LOGS-021). */
  sweep(): Promise<void>
  /** To be run every 15 s (LOGS-021). */
  remind(): void
}

/** Live logs: from the agents of Nodes to the one client that opened each (LOG-001 to LOG-009). */
export function makeLogs(given: LogsDeps): LogsDomain {
  const { publisher, warn, clock } = given
  const notify = (nodeIds: readonly number[]): void =>
    void publisher
      .changed(nodeIds)
      .catch((error: unknown) => warn('agents could not be notified of live logs', error))
  const streams = new LogStreams({ ...given, notify, wake: () => relay.wake() })
  const relay = new LogRelay(streams, { clock, publisher, warn })
  const agents = new ConnectedAgents(streams)
  const deps = { ...given, streams, agents }
  return {
    handlers: {
      'instance:logs': makeInstanceLogs(given),
      'instance:queue': makeQueue(given),
      'process:logs': makeProcessLogs(given),
      'instance:log-stream:open': makeInstanceLogOpen(deps),
      'instance:log-stream:renew': makeInstanceLogRenew(deps),
      'instance:log-stream:close': makeInstanceLogClose(streams),
      'process:log-stream:open': makeProcessLogOpen(deps),
      'process:log-stream:renew': makeProcessLogRenew(deps),
      'process:log-stream:close': makeProcessLogClose(streams),
    },
    work: {
      logStreams: async (nodeId) =>
        streams
          .ofNode(nodeId)
          .filter(({ isActive }) => isActive)
          .map(({ id, wish: { lines, source } }) => ({ id, lines, source })),
    },
    channel: (nodeId) => agents.channel(nodeId),
    relay: (signal) => relay.run(signal),
    sweep: () => sweep(given, streams),
    remind: () => streams.remind(),
  }
}
