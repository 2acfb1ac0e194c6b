import { fail } from '@fleet/contract'
import { agentNames } from '#/agents/channels.ts'
import type { AgentRealtime } from '#/realtime/api.ts'
import { requireCaller } from '#/agents/require-caller.ts'
import type { Handler } from '#/handler.ts'

/** Throws `realtime.not_configured` first (decisions 15), then `agent.channel_forbidden` for a channel that is not this agent's. */
export const makeBroadcastingAuth =
  (realtime: AgentRealtime): Handler<'agent:broadcasting:auth'> =>
  async ({ call, input }) => {
    const nodeId = requireCaller(call).id
    const { channel, logChannel, member } = agentNames(nodeId)
    const service = await realtime.service()
    if (!service) throw fail('realtime.not_configured')
    if (input.channel_name !== channel && input.channel_name !== logChannel)
      throw fail('agent.channel_forbidden')
    const { socket_id: socketId, channel_name: name, version } = input
    const info = { kind: 'agent', node_id: nodeId, version }
    return { data: service.sign(socketId, name, { user_id: member, user_info: info }) }
  }
