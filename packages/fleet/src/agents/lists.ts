import { AGENT_LOG_STREAMS_MAX, AGENT_WORKSPACES_MAX } from '@fleet/contract'
import type { AgentWork } from '#/agents/ports.ts'
import { requireCaller } from '#/agents/require-caller.ts'
import type { Handler } from '#/handler.ts'

/** AGT-005 */
export const makeWorkspaceList =
  (work: AgentWork): Handler<'agent:workspace:list'> =>
  async ({ call }) => ({
    data: (await work.workspaces(requireCaller(call).id)).slice(0, AGENT_WORKSPACES_MAX),
  })

/** AGT-006 */
export const makeLogStreamList =
  (work: AgentWork): Handler<'agent:log-stream:list'> =>
  async ({ call }) => ({
    data: (await work.logStreams(requireCaller(call).id)).slice(0, AGENT_LOG_STREAMS_MAX),
  })
