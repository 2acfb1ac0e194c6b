import type { agentLogStream, agentWorkspace } from '@fleet/contract'
import type * as z from 'zod'
import type { AgentTarget } from '#/agents/service/target.ts'

/** Where agents find the gateway; undefined for one without a private network, such as the embedded one. */
export interface AgentGateway {
  target(): Promise<AgentTarget | undefined>
}

/** The realtime service of the fleet, above agents; undefined without an active `websocket` role. */
export interface AgentRealtime {
  service(): Promise<RealtimeService | undefined>
}

export interface RealtimeService {
  /** `wss://…` by which an agent connects. */
  readonly url: string
  /** Tunnel address of its Node. */
  readonly address: string
  readonly key: string
  /** The protocol's signature for one connection's membership in a presence channel. */
  sign(
    socketId: string,
    channel: string,
    member: { readonly user_id: string; readonly user_info: Readonly<Record<string, unknown>> },
  ): { readonly auth: string; readonly channel_data: string }
}

/** What the agent of a Node is to watch; both stand above agents. */
export interface AgentWork {
  /** Checkouts of unfinished tasks on the Node (AGT-030). */
  workspaces(nodeId: number): Promise<ReadonlyArray<z.output<typeof agentWorkspace>>>
  /** Open log streams of the Node. */
  logStreams(nodeId: number): Promise<ReadonlyArray<z.output<typeof agentLogStream>>>
}
