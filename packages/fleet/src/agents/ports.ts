import type { agentLogStream, agentWorkspace } from '@fleet/contract'
import type * as z from 'zod'
import type { AgentTarget } from '#/agents/service/target.ts'

/** Where agents find the gateway; undefined for one without a private network, such as the embedded one. */
export interface AgentGateway {
  target(): Promise<AgentTarget | undefined>
}

/** What the agent of a Node is to watch: what stands above agents knows it. */
export interface AgentWork {
  /** Checkouts of unfinished tasks on the Node (AGT-030). */
  workspaces(nodeId: number): Promise<ReadonlyArray<z.output<typeof agentWorkspace>>>
  /** Open log streams of the Node. */
  logStreams(nodeId: number): Promise<ReadonlyArray<z.output<typeof agentLogStream>>>
}
