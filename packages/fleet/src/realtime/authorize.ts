import { fail } from '@fleet/contract'
import { channelAuth } from '@fleet/pusher'
import type { Call } from '#/call.ts'
import type { Outcome } from '#/handler.ts'
import type { Nodes } from '#/nodes/api.ts'
import { readChannel } from '#/realtime/channels.ts'
import type { RealtimeServers } from '#/realtime/server.ts'

interface AuthorizeRequest {
  readonly call: Call
  readonly input: { readonly socket_id: string; readonly channel_name: string }
}

interface Signed {
  readonly auth: string
  readonly channel_data?: string
}

/** Signs the feed, and a viewer's membership of a Node's channel; both methods of the endpoint do the same (decisions 12). */
export const makeAuthorize =
  (servers: () => Promise<RealtimeServers>, nodes: Pick<Nodes, 'identity'>) =>
  async ({ call, input }: AuthorizeRequest): Promise<Outcome<Signed>> => {
    const { current } = await servers()
    if (!current) throw fail('realtime.not_configured')
    const channel = readChannel(input.channel_name)
    if (!channel) throw fail('broadcast.channel_forbidden')
    const { socket_id: socketId } = input
    if (channel.kind === 'feed') return { data: { auth: channelAuth(current.app, socketId, channel.name) } }
    // A membership of an id that a later Node gets would outlast the time before it.
    if (!(await nodes.identity(channel.nodeId))) throw fail('broadcast.channel_forbidden')
    const channel_data = JSON.stringify({
      user_id: `viewer.${socketId}`,
      // The Node from which the viewer connects, whichever it looks at (AG-014).
      user_info: { kind: 'viewer', node_id: call.caller?.id ?? null },
    })
    return { data: { auth: channelAuth(current.app, socketId, channel.name, channel_data), channel_data } }
  }
