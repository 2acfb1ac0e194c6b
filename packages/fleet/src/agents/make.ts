import { type Authenticate, makeAuthenticate } from '#/agents/authenticate.ts'
import { makeBroadcastingAuth } from '#/agents/broadcasting-auth.ts'
import { makeAgentChecks } from '#/agents/checks/checks.ts'
import { makeLogStreamList, makeWorkspaceList } from '#/agents/lists.ts'
import type { NodeAgent } from '#/agents/node-agent.ts'
import type { AgentsDeps } from '#/agents/deps.ts'
import type { AgentWork } from '#/agents/ports.ts'
import { managedNodeIds } from '#/agents/queries.ts'
import { makeAgentRealtime } from '#/agents/realtime.ts'
import { makeConverge, makeDigest, makeRemove } from '#/agents/service/converge.ts'
import { AgentViewStore } from '#/agents/view/views.ts'
import type { HandlersOf } from '#/handler.ts'
import type { FamilyChecks, Nodes } from '#/nodes/api.ts'
import type { AgentRealtime } from '#/realtime/api.ts'

export interface AgentsDomainDeps extends AgentsDeps {
  readonly nodes: Pick<Nodes, 'find'>
  readonly realtime: AgentRealtime
  readonly work: AgentWork
}

export interface AgentsDomain {
  readonly handlers: HandlersOf<
    'agent:realtime' | 'agent:broadcasting:auth' | 'agent:workspace:list' | 'agent:log-stream:list'
  >
  /** What enrolment, footprint and removal of a Node need. */
  readonly agent: NodeAgent
  /** Identity of the agent endpoints beyond the address. */
  readonly authenticate: Authenticate
  /** The agent's part of the family `node`. */
  readonly checks: FamilyChecks
  /** What Nodes look like through their agents; the gateway's subscriber fills it. */
  readonly views: AgentViewStore
  /** Ids of the Nodes that have an agent. */
  managedNodes(): Promise<readonly number[]>
}

/** The small process that watches a Node: how it gets there, and what it may ask. */
export function makeAgents(deps: AgentsDomainDeps): AgentsDomain {
  const views = new AgentViewStore(deps.clock)
  return {
    handlers: {
      'agent:realtime': makeAgentRealtime(deps.realtime),
      'agent:broadcasting:auth': makeBroadcastingAuth(deps.realtime),
      'agent:workspace:list': makeWorkspaceList(deps.work),
      'agent:log-stream:list': makeLogStreamList(deps.work),
    },
    agent: { converge: makeConverge(deps), digest: makeDigest(deps), remove: makeRemove(deps) },
    authenticate: makeAuthenticate(deps.store, deps.nodes),
    checks: makeAgentChecks({ ...deps, views }),
    views,
    managedNodes: () => managedNodeIds(deps.store.db),
  }
}
