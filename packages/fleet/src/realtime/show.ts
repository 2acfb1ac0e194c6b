import { FEED_CHANNEL } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { RealtimeServers } from '#/realtime/server.ts'

/** Where the feed is; nulls without an active `websocket` role (RT-006 to RT-009). */
export const makeRealtimeShow =
  (servers: () => Promise<RealtimeServers>): Handler<'realtime:show'> =>
  async () => {
    const { current } = await servers()
    return { data: { url: current?.url ?? null, key: current?.app.key ?? null, channel: FEED_CHANNEL } }
  }
