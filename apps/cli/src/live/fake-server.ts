import type { Closed, Connection, PusherMessage } from '@fleet/pusher-client'
import { FEED_CHANNEL } from './follow-feed.ts'
import type { GatewayLink } from './gateway-link.ts'

/** A server of the feed that greets and joins at once. */
export function fakeServer(ask: GatewayLink['ask'], join: GatewayLink['join'] = async () => new Map()) {
  const listeners: ((message: PusherMessage) => void)[] = []
  let close = Promise.withResolvers<Closed>()
  const link: GatewayLink = {
    name: 'test',
    ask,
    open: async () => {
      close = Promise.withResolvers<Closed>()
      const connection: Connection = {
        socketId: '1.1',
        subscribe: async () => new Map(),
        unsubscribe: () => undefined,
        trigger: () => undefined,
        buffered: 0,
        onMessage: (listener) => void listeners.push(listener),
        closed: close.promise,
        [Symbol.dispose]: () => close.resolve({ code: undefined, reason: '' }),
      }
      return connection
    },
    join,
  }
  return {
    link,
    end: (reason: string) => close.resolve({ code: 4200, reason }),
    publish: (event: Record<string, unknown>) => {
      for (const listener of listeners)
        listener({ event: String(event['type']), channel: FEED_CHANNEL, data: event })
    },
  }
}
