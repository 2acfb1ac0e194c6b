// Runs on a Node of the lab: `feed-watcher.ts KEY`. Two clients of the official library subscribe to the feed as a program
// of that Node would, and every change of theirs and every event is printed as a line of JSON.
import { request } from 'node:https'
import pusherJs from 'pusher-js'

// The package is CommonJS whose types describe a module: its default is the class itself.
const PusherClient = pusherJs as unknown as typeof pusherJs.default
const HOST = 'reverb.fleet'
const [key = ''] = process.argv.slice(2)

const say = (line: object): void => console.log(JSON.stringify(line))

function sign(socketId: string, channel: string): Promise<{ readonly auth: string }> {
  const body = JSON.stringify({ socket_id: socketId, channel_name: channel })
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const outgoing = request('https://gateway.fleet/api/v1/broadcasting/auth', { method: 'POST', headers })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => void chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        if (response.statusCode === 200) resolve((JSON.parse(text) as { data: { auth: string } }).data) // The declared answer.
        else reject(new Error(text))
      })
    })
    outgoing.end(body)
  })
}

type Done = (error: Error | null, data: { readonly auth: string } | null) => void

for (const client of ['one', 'other']) {
  const authorize = async (socketId: string, channel: string, done: Done): Promise<void> => {
    try {
      done(null, await sign(socketId, channel))
    } catch (error) {
      say({ client, refused: String(error) })
      // The library asks only once; a program asks again.
      setTimeout(() => pusher.unsubscribe(channel), 0)
      setTimeout(() => subscribe(), 500)
      done(error instanceof Error ? error : new Error('refused'), null)
    }
  }
  const pusher = new PusherClient(key, {
    cluster: '',
    wsHost: HOST,
    wssPort: 8790,
    forceTLS: true,
    enabledTransports: ['ws', 'wss'],
    disableStats: true,
    channelAuthorization: {
      transport: 'ajax',
      endpoint: '',
      customHandler: ({ socketId, channelName }, done) => void authorize(socketId, channelName, done),
    },
  })
  pusher.connection.bind('state_change', ({ current }: { current: string }) => {
    say({ client, state: current, socket: pusher.connection.socket_id })
  })
  const subscribe = (): void => {
    const channel = pusher.subscribe('private-fleet')
    channel.bind('pusher:subscription_succeeded', () =>
      say({ client, subscribed: pusher.connection.socket_id }),
    )
    channel.bind_global((event: string, data: { readonly type?: string; readonly sequence?: number }) => {
      if (!event.startsWith('pusher:')) say({ client, event, sequence: data.sequence })
    })
  }
  subscribe()
}
