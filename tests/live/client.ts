import pusherJs, { type Channel } from 'pusher-js'
import type { From, TestGateway } from '../api/harness.ts'

// The package is CommonJS whose types describe a module: its default is the class itself.
const PusherClient = pusherJs as unknown as typeof pusherJs.default

/** An event as pusher-js gives it to its listeners. */
export interface Heard {
  readonly channel: string
  readonly name: string
  // eslint-disable-next-line typescript/no-explicit-any -- A test reads whatever shape it expects and fails on another.
  readonly data: any
}

/** pusher-js as people use it. The gateway signs its channels, and the answer of an opened stream signs that stream's. */
export interface LiveClient extends Disposable {
  readonly socketId: string
  /** Everything that was published on channels that were joined, in order. */
  readonly heard: readonly Heard[]
  /** Resolves when the channel is joined; rejects with the status of a refusal. */
  join(channel: string, auth?: string): Promise<Channel>
  leave(channel: string): void
  /** `connected` until the server ends the connection. */
  state(): string
}

export async function startClient(
  fleet: TestGateway,
  at: { readonly port: number; readonly key: string },
  from: From = 'gateway',
): Promise<LiveClient> {
  const given = new Map<string, string>()
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
        const auth = given.get(channelName)
        if (auth !== undefined) return done(null, { auth })
        const body = { socket_id: socketId, channel_name: channelName }
        const signing = fleet.ask('POST', '/api/v1/broadcasting/auth', { body, from })
        void signing.then(({ json, status }) =>
          // eslint-disable-next-line promise/no-callback-in-promise -- The library has no other way to take an answer.
          status === 200 ? done(null, json.data) : done(new Error(json.error.code), null),
        )
      },
    },
  })
  await new Promise((resolve) => client.connection.bind('connected', resolve))
  const heard: Heard[] = []
  return {
    socketId: client.connection.socket_id,
    heard,
    join: (name, auth) => {
      if (auth !== undefined) given.set(name, auth)
      const channel = client.subscribe(name)
      channel.bind_global((event: string, data: unknown) => {
        if (!event.startsWith('pusher:')) heard.push({ channel: name, name: event, data })
      })
      return new Promise((resolve, reject) => {
        channel.bind('pusher:subscription_succeeded', () => resolve(channel))
        channel.bind(
          'pusher:subscription_error',
          (error: { readonly status?: number; readonly error?: string }) =>
            reject(new Error(`${error.status ?? ''} ${error.error ?? ''}`)),
        )
      })
    },
    state: () => client.connection.state,
    leave: (name) => client.unsubscribe(name),
    [Symbol.dispose]: () => client.disconnect(),
  }
}
