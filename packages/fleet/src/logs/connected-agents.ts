import type { AgentMessage, NodeChannel } from '#/agents/api.ts'
import { agentMember } from '#/agents/api.ts'
import type { LogStreams } from '#/logs/streams.ts'

/** Which agents are there to read logs: those on the log channels of their Nodes (LOG-001). */
export class ConnectedAgents {
  readonly #streams: LogStreams
  readonly #taken = new Set<number>()

  constructor(streams: LogStreams) {
    this.#streams = streams
  }

  has(nodeId: number): boolean {
    return this.#taken.has(nodeId)
  }

  /** The log channel of one Node, as reported by the subscriber. */
  channel(nodeId: number): NodeChannel {
    const member = agentMember(nodeId)
    const leave = (): void => {
      this.#taken.delete(nodeId)
      this.#streams.endAllOf(nodeId, 'agent_left')
    }
    return {
      joined: (members) => {
        if (members.has(member)) this.#taken.add(nodeId)
        else leave()
      },
      // The agent may still be online; until that is known, the state is unknown.
      left: () => void this.#taken.delete(nodeId),
      memberAdded: (id) => {
        if (id === member) this.#taken.add(nodeId)
      },
      memberRemoved: (id) => {
        if (id === member) leave()
      },
      reported: (userId, message) => {
        if (userId === member && isOfLogs(message)) this.#streams.receive(nodeId, message)
      },
      gone: leave,
    }
  }
}

const isOfLogs = (
  message: AgentMessage,
): message is Extract<AgentMessage, { readonly event: `client-log${string}` }> =>
  message.event === 'client-log' || message.event === 'client-log-end'
