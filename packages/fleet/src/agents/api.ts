export { type AgentsDomain, type AgentsDomainDeps, makeAgents } from '#/agents/make.ts'
export type { Authenticate } from '#/agents/authenticate.ts'
export { makeAgentGateway } from '#/agents/service/target.ts'
export type { AgentGateway, AgentTarget } from '#/agents/ports.ts'
export type { NodeAgent } from '#/agents/node-agent.ts'
export type { AgentsDeps } from '#/agents/deps.ts'
export { AGENT_UNIT } from '#/agents/service/agent.ts'
export {
  AGENT_UNITS_MAX,
  type AgentEvent,
  type AgentLogMessage,
  type AgentMessage,
  type AgentMessageData,
  agentMessages,
  type AgentStateMessage,
  type AgentUnit,
  type AgentWorkspaceState,
  readAgentMessage,
} from '#/agents/messages.ts'
export type * from '#/agents/ports.ts'
export type { AgentPresence, AgentSight, KnownUnits } from '#/agents/view/node-view.ts'
export { agentMember, agentNames } from '#/agents/channels.ts'
export type { NodeChannel } from '#/agents/view/channel.ts'
export {
  type AgentViews,
  AgentViewStore,
  type ProcessIdentity,
  processUnitName,
  type SubscriberHealth,
  type WatchedWorkspace,
} from '#/agents/view/views.ts'
