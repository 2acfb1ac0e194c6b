import type { agentLogStream, agentWorkspace } from '@fleet/contract'
import type * as z from 'zod'

/** Where agents find the gateway; undefined for one without a private network, such as the embedded one. */
export interface AgentGateway {
  target(): Promise<AgentTarget | undefined>
}

/** What the agent of a Node should watch, supplied by a domain above agents. */
export interface AgentWork {
  /** Checkouts of unfinished tasks on the Node (AGT-030). */
  workspaces(nodeId: number): Promise<ReadonlyArray<z.output<typeof agentWorkspace>>>
  /** Open log streams of the Node. */
  logStreams(nodeId: number): Promise<ReadonlyArray<z.output<typeof agentLogStream>>>
}

/** What an agent has to know of the gateway. */
export interface AgentTarget {
  /** `https://gateway.fleet`, by the name in the certificate. */
  readonly url: string
  /** Tunnel address that it connects to, so that the private DNS may be down. */
  readonly address: string
  /** PEM of the fleet's root: the only authority that the agent trusts. */
  readonly rootCertificate: string
}
