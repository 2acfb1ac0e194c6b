import pusherJs from 'pusher-js'
import { asObject } from '../embedded/ask.ts'
import type { TestGateway } from '../api/harness.ts'

// The package is CommonJS whose types describe a module: its default is the class itself.
const PusherClient = pusherJs as unknown as typeof pusherJs.default

const ARRIVAL_MILLISECONDS = 30_000

/** An event of the feed as a client gets it, with all its members. */
export interface FeedEvent {
  readonly type: string
  readonly id: unknown
  readonly at: string
  readonly data: Readonly<Record<string, unknown>>
  readonly sequence: number
  readonly run: string
}

export interface Listener extends Disposable {
  /** Everything since the subscription, in the order of arrival. */
  readonly events: readonly FeedEvent[]
  /** Resolves with the first event that fits, also one that has been there before. */
  first(fits: (event: FeedEvent) => boolean): Promise<FeedEvent>
}

/** The official client on the feed's private channel; the gateway signs its subscription over HTTP. */
export async function listenToFeed(
  fleet: TestGateway,
  at: { readonly port: number; readonly key: string },
): Promise<Listener> {
  const client = new PusherClient(at.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: at.port,
    forceTLS: false,
    enabledTransports: ['ws'],
    disableStats: true,
    channelAuthorization: {
      transport: 'ajax',
      endpoint: '',
      customHandler: ({ socketId, channelName }, done) => {
        const body = { socket_id: socketId, channel_name: channelName }
        const signing = fleet.ask('POST', '/api/v1/broadcasting/auth', { body })
        // eslint-disable-next-line promise/no-callback-in-promise -- The library has no other way to take an answer.
        void signing.then(({ json }) => done(null, json.data))
      },
    },
  })
  const events: FeedEvent[] = []
  const waiting = new Set<() => void>()
  const channel = client.subscribe('private-fleet')
  const subscribed = new Promise((resolve) => channel.bind('pusher:subscription_succeeded', resolve))
  channel.bind_global((name: string, event: unknown) => {
    if (name.startsWith('pusher:')) return
    const { type } = asObject(event, name)
    if (type !== name) throw new Error(`${name} was published as ${String(type)}`)
    events.push(event as FeedEvent) // Compared whole by whoever asks.
    for (const look of waiting) look()
  })
  await subscribed
  return {
    events,
    first: (fits) =>
      new Promise((resolve, reject) => {
        AbortSignal.timeout(ARRIVAL_MILLISECONDS).addEventListener('abort', () =>
          reject(
            new Error(
              `the event has not arrived; published so far: ${events.map(({ type }) => type).join(' ')}`,
            ),
          ),
        )
        const look = (): void => {
          const found = events.find(fits)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    [Symbol.dispose]: () => client.disconnect(),
  }
}
