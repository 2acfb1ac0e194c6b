import assert from 'node:assert/strict'
import { test } from 'node:test'
import pusherJs, { type Channel } from 'pusher-js'
import { openPlainDoor } from '../feed/plain-door.ts'
import { startLiveWorld } from './world.ts'

// The package is CommonJS whose types describe a module: its default is the class itself.
const PusherClient = pusherJs as unknown as typeof pusherJs.default

const joined = (channel: Channel): Promise<unknown> =>
  new Promise((resolve) => {
    channel.bind('pusher:subscription_succeeded', () => resolve('joined'))
    channel.bind('pusher:subscription_error', ({ status }: { readonly status: number }) => resolve(status))
  })

test('pusher-js with nothing but an endpoint joins the feed and a presence channel, and sees a refusal [RT-005]', async () => {
  await using world = await startLiveWorld()
  const { fleet } = world
  const key = (await fleet.ask('GET', '/api/v1/realtime')).json.data.key
  await using sockets = await openPlainDoor({ port: world.server().port, authority: fleet.ca })
  const gatewayPort = Number(new URL(fleet.url).port)
  await using gateway = await openPlainDoor({ port: gatewayPort, authority: fleet.ca, name: 'gateway.fleet' })
  const client = new PusherClient(key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: sockets.port,
    forceTLS: false,
    enabledTransports: ['ws'],
    disableStats: true,
    channelAuthorization: {
      transport: 'ajax',
      endpoint: `http://127.0.0.1:${gateway.port}/api/v1/broadcasting/auth`,
    },
  })
  using _ = { [Symbol.dispose]: () => client.disconnect() }
  const results = ['private-fleet', `presence-node.${fleet.nodes.granted}`, 'private-other'].map((name) =>
    joined(client.subscribe(name)),
  )
  assert.deepEqual(await Promise.all(results), ['joined', 'joined', 403])
})

test('a form is answered with the bare object of the protocol, and refused with the envelope [RT-004]', async () => {
  await using world = await startLiveWorld()
  const sign = (form: string) =>
    world.fleet.ask('POST', '/api/v1/broadcasting/auth', {
      raw: form,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(form)),
      },
    })
  const feed = await sign('socket_id=1.2&channel_name=private-fleet')
  assert.deepEqual([feed.status, Object.keys(feed.json)], [200, ['auth']])
  const presence = await sign(`socket_id=1.2&channel_name=presence-node.${world.fleet.nodes.granted}`)
  assert.deepEqual(Object.keys(presence.json).toSorted(), ['auth', 'channel_data'])
  const refused = await sign('socket_id=1.2&channel_name=private-other')
  assert.deepEqual([refused.status, refused.json.error.code], [403, 'broadcast.channel_forbidden'])
  const unknown = await sign('socket_id=1.2&channel_name=private-fleet&extra=1')
  assert.deepEqual([unknown.status, unknown.json.error.code], [422, 'validation.failed'])
  const elsewhere = await world.fleet.ask('POST', '/api/v1/projects', {
    raw: 'name=shop',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '9' },
  })
  assert.deepEqual([elsewhere.status, elsewhere.json.error.code], [415, 'http.415'])
})
