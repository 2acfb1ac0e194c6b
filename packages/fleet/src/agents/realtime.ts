import { agentNames } from '#/agents/channels.ts'
import type { AgentRealtime } from '#/realtime/api.ts'
import type { Handler } from '#/handler.ts'
import { requireCaller } from '#/agents/require-caller.ts'

export const makeAgentRealtime =
  (realtime: AgentRealtime): Handler<'agent:realtime'> =>
  async ({ call }) => {
    const { channel, logChannel, member } = agentNames(requireCaller(call).id)
    const service = await realtime.service()
    return {
      data: {
        url: service?.url ?? null,
        address: service?.address ?? null,
        key: service?.key ?? null,
        channel,
        log_channel: logChannel,
        member,
      },
    }
  }
