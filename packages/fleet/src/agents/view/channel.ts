import type { AgentMessage } from '#/agents/messages.ts'

/** What the gateway's subscriber reports about one presence channel of one Node, in order. */
export interface NodeChannel {
  /** The subscriber has joined, and found these members there with their `user_info`. */
  joined(members: ReadonlyMap<string, unknown>): void
  /** The subscriber has left or lost its connection: what happens there is not known. */
  left(): void
  memberAdded(id: string, info: unknown): void
  memberRemoved(id: string): void
  /** A message of an agent's form, whoever sent it. */
  reported(userId: string | undefined, message: AgentMessage): void
  /** The Node is managed no longer. */
  gone(): void
}
