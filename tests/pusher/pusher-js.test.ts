import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelAuth } from '@fleet/pusher'
import type { Options } from 'pusher-js'
import { APP, next, startPusherWorld } from './harness.ts'

const infoOf = (name: string): Partial<Options> => ({
  channelAuthorization: {
    transport: 'ajax',
    endpoint: '',
    customHandler: ({ socketId, channelName }, done) => {
      const channel_data = JSON.stringify({ user_id: name.slice(0, 1), user_info: { name } })
      done(null, { auth: channelAuth(APP, socketId, channelName, channel_data), channel_data })
    },
  },
})

const SUBSCRIBED = 'pusher:subscription_succeeded'

test('the official client hears what the official publisher tells, on public and private channels', async () => {
  await using world = await startPusherWorld()
  const client = world.client('a')
  for (const name of ['news', 'private-fleet']) {
    const channel = client.subscribe(name)
    await next(channel, SUBSCRIBED)
    const reported = next<{ n: number }>(channel, 'node.created')
    await world.publisher.trigger(name, 'node.created', { n: 7 })
    assert.deepEqual(await reported, { n: 7 })
  }
})

test('members see each other come and go once, however many connections a user has [AG-015]', async () => {
  await using world = await startPusherWorld()
  const [watcher, one, two] = [world.client('w'), world.client('agent.1'), world.client('agent.1')]
  const seen: string[] = []
  const channel = watcher.subscribe('presence-node.1')
  const members = await next<{ count: number; me: { id: string } }>(channel, SUBSCRIBED)
  assert.deepEqual([members.count, members.me.id], [1, 'w'])
  channel.bind('pusher:member_added', ({ id }: { id: string }) => seen.push(`+${id}`))
  channel.bind('pusher:member_removed', ({ id }: { id: string }) => seen.push(`-${id}`))
  const joined = await next<{ count: number }>(one.subscribe('presence-node.1'), SUBSCRIBED)
  assert.equal(joined.count, 2)
  await next(two.subscribe('presence-node.1'), SUBSCRIBED)
  one.disconnect()
  const left = next(channel, 'pusher:member_removed')
  two.disconnect()
  await left
  assert.deepEqual(seen, ['+agent.1', '-agent.1'])
})

test('a roster longer than a frame of two length bytes arrives whole', async () => {
  await using world = await startPusherWorld()
  const names = Array.from({ length: 10 }, (_, index) => `${index}${'x'.repeat(7000)}`)
  for (const name of names)
    await next(world.client(name.slice(0, 1), infoOf(name)).subscribe('presence-x'), SUBSCRIBED)
  const members = await next<{ members: Record<string, { name: string }> }>(
    world.client('last').subscribe('presence-x'),
    SUBSCRIBED,
  )
  for (const name of names) assert.equal(members.members[name.slice(0, 1)]?.name, name)
})

test('a client event reaches the other members with its sender [AG-016, AG-017]', async () => {
  await using world = await startPusherWorld()
  const [sender, other] = [world.client('agent.1'), world.client('viewer.1')]
  const channels = [sender.subscribe('presence-node.1'), other.subscribe('presence-node.1')] as const
  await Promise.all(channels.map((channel) => next(channel, SUBSCRIBED)))
  const heard = new Promise((resolve) => {
    channels[1].bind('client-heartbeat', (data: unknown, metadata: unknown) => resolve([data, metadata]))
  })
  channels[0].trigger('client-heartbeat', { sequence: 1 })
  assert.deepEqual(await heard, [{ sequence: 1 }, { user_id: 'agent.1' }])
})

test('a cache channel replays its last event, and says when it has none', async () => {
  await using world = await startPusherWorld()
  await next(world.client('a').subscribe('cache-empty'), 'pusher:cache_miss')
  await world.publisher.trigger('private-cache-a', 'told', { n: 1 })
  assert.deepEqual(await next(world.client('a').subscribe('private-cache-a'), 'told'), { n: 1 })
})

test('a wrong signature is reported to the channel with its status', async () => {
  await using world = await startPusherWorld()
  const client = world.client('a', {
    channelAuthorization: {
      transport: 'ajax',
      endpoint: '',
      customHandler: (_, done) => done(null, { auth: 'app-key:wrong' }),
    },
  })
  const error = await next<{ status: number }>(client.subscribe('private-fleet'), 'pusher:subscription_error')
  assert.equal(error.status, 401)
})

test('a signed-in user is reached wherever it is', async () => {
  await using world = await startPusherWorld()
  const client = world.client('u')
  client.signin()
  const reported = next<{ n: number }>(client.user, 'told')
  await next(client.connection, 'connected')
  await client.user.signinDonePromise
  await world.publisher.sendToUser('u', 'told', { n: 1 })
  assert.deepEqual(await reported, { n: 1 })
})

test('an unknown application is final, a server that goes away is not', async () => {
  await using world = await startPusherWorld()
  const stranger = world.client('a', {})
  await next(stranger.connection, 'connected')
  const away = new Promise((resolve) => {
    stranger.connection.bind('state_change', ({ current }: { current: string }) => {
      if (current === 'connecting' || current === 'unavailable') resolve(current)
    })
  })
  await world.server.stop()
  assert.ok(await away)
})

test('the ids of users are text for the official client, whatever the application signed', async () => {
  await using world = await startPusherWorld()
  const numbered = (user_id: number): Partial<Options> => ({
    channelAuthorization: {
      transport: 'ajax',
      endpoint: '',
      customHandler: ({ socketId, channelName }, done) => {
        const channel_data = JSON.stringify({ user_id })
        done(null, { auth: channelAuth(APP, socketId, channelName, channel_data), channel_data })
      },
    },
  })
  const [first, second] = [world.client('', numbered(669)), world.client('', numbered(7))]
  const channel = first.subscribe('presence-x')
  await next(channel, SUBSCRIBED)
  const added = next<{ id: unknown }>(channel, 'pusher:member_added')
  const members = await next<{ count: number; members: object }>(second.subscribe('presence-x'), SUBSCRIBED)
  assert.deepEqual([members.count, Object.keys(members.members)], [2, ['7', '669']])
  assert.deepEqual(await added, { id: '7', info: undefined })
  const users = await world.publisher.get({ path: '/channels/presence-x/users', params: {} })
  assert.deepEqual(await users.json(), { users: [{ id: '669' }, { id: '7' }] })
})

test('the publisher library lists channels and users, and sends batches', async () => {
  await using world = await startPusherWorld()
  const client = world.client('u')
  const channel = client.subscribe('presence-x')
  await next(channel, SUBSCRIBED)
  const get = async (path: string, params = {}): Promise<unknown> =>
    (await world.publisher.get({ path, params })).json()
  assert.deepEqual(await get('/channels', { filter_by_prefix: 'presence-', info: 'user_count' }), {
    channels: { 'presence-x': { user_count: 1 } },
  })
  assert.deepEqual(await get('/channels/presence-x/users'), { users: [{ id: 'u' }] })
  const both = Promise.all([next(channel, 'one'), next(channel, 'two')])
  const batch = ['one', 'two'].map((name) => ({ channel: 'presence-x', name, data: { name } }))
  assert.deepEqual(await (await world.publisher.triggerBatch(batch)).json(), {})
  assert.deepEqual(await both, [{ name: 'one' }, { name: 'two' }])
})
