import { systemClock, Secret } from '@fleet/kernel'
import { channelAuth, userAuth } from '@fleet/pusher'
import { type RunningWebsocket, startWebsocket, type WebsocketOptions } from '@fleet/websocket'
import { pino } from 'pino'
import PusherServer from 'pusher'
import pusherJs, { type Options } from 'pusher-js'

// The package is CommonJS whose types describe a module: its default is the class itself.
const PusherClient = pusherJs as unknown as typeof pusherJs.default
type PusherClient = InstanceType<typeof PusherClient>

export const APP = { id: 'fleet', key: 'app-key', secret: new Secret('app-secret') }

/** The server, the official publisher library, and clients of the official client library; disposing ends them all. */
export interface PusherWorld extends AsyncDisposable {
  readonly server: RunningWebsocket
  readonly publisher: PusherServer
  /** A client whose subscriptions are signed; `user` is who it is on presence channels. */
  client(user: string, options?: Partial<Options>): PusherClient
}

export async function startPusherWorld(options: Partial<WebsocketOptions> = {}): Promise<PusherWorld> {
  const server = await startWebsocket({
    address: '127.0.0.1',
    port: 0,
    apps: [{ ...APP, ...options.apps?.[0] }],
    clock: systemClock,
    log: pino({ level: 'silent' }),
    ...options,
    limits: { drainSeconds: 0, ...options.limits },
  })
  const publisher = new PusherServer({
    appId: APP.id,
    key: APP.key,
    secret: APP.secret.reveal(),
    host: '127.0.0.1',
    port: String(server.port),
    useTLS: false,
  })
  const clients: PusherClient[] = []
  return {
    server,
    publisher,
    client: (user, given = {}) => {
      const client = new PusherClient(APP.key, {
        cluster: '',
        wsHost: '127.0.0.1',
        wsPort: server.port,
        forceTLS: false,
        enabledTransports: ['ws'],
        disableStats: true,
        channelAuthorization: signing(user),
        userAuthentication: signingIn(user),
        ...given,
      })
      clients.push(client)
      return client
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.disconnect()
      await server.stop()
    },
  }
}

type ChannelAuthorization = NonNullable<Options['channelAuthorization']>
type UserAuthentication = NonNullable<Options['userAuthentication']>

const signing = (user: string): ChannelAuthorization => ({
  transport: 'ajax',
  endpoint: '',
  customHandler: ({ socketId, channelName }, done) => {
    const channel_data = channelName.startsWith('presence-')
      ? JSON.stringify({ user_id: user, user_info: { name: user } })
      : undefined
    const auth = channelAuth(APP, socketId, channelName, channel_data)
    done(null, channel_data === undefined ? { auth } : { auth, channel_data })
  },
})

const signingIn = (user: string): UserAuthentication => ({
  transport: 'ajax',
  endpoint: '',
  customHandler: ({ socketId }, done) => {
    const user_data = JSON.stringify({ id: user })
    done(null, { auth: userAuth(APP, socketId, user_data), user_data })
  },
})

/** Resolves with what an emitter tells next under the name. */
export const next = <T>(
  emitter: { bind(name: string, callback: (data: T) => void): unknown },
  name: string,
): Promise<T> => new Promise((resolve) => void emitter.bind(name, resolve))
