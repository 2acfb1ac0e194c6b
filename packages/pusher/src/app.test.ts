import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import * as fc from 'fast-check'
import {
  App,
  type AppOptions,
  channelAuth,
  closeCodes,
  type Connection,
  PUSHER_LIMITS,
  userAuth,
} from '#/index.ts'
import { type FakePeer, fakePeer } from '#/fake-peer.ts'

const credentials = { id: 'fleet', key: 'key', secret: new Secret('s3cret') }

function start(options: Partial<AppOptions> = {}) {
  const clock = new FakeClock()
  const app = new App({ ...credentials, ...options }, clock)
  let sockets = 0
  const join = (): FakePeer & { readonly connection: Connection; say(message: unknown): void } => {
    const peer = fakePeer(`1.${(sockets += 1)}`)
    const connection = app.connect(peer) ?? assert.fail()
    peer.take()
    return Object.assign(peer, {
      connection,
      say: (message: unknown) => app.receive(connection, JSON.stringify(message)),
    })
  }
  const subscribe = (peer: ReturnType<typeof join>, channel: string, channelData?: unknown): void => {
    const text = channelData === undefined ? undefined : JSON.stringify(channelData)
    const auth = channelAuth(credentials, peer.socketId, channel, text)
    peer.say({ event: 'pusher:subscribe', data: { channel, auth, channel_data: text } })
  }
  return { app, clock, join, subscribe }
}

const event = (name: string, channel: string, data: unknown) => ({
  event: name,
  channel,
  data: JSON.stringify(data),
})

test('a client is greeted with its socket id and the time after which it asks', () => {
  const app = new App({ ...credentials, activityTimeoutSeconds: 45 }, new FakeClock())
  const peer = fakePeer('12.34')
  assert.ok(app.connect(peer))
  assert.deepEqual(peer.take(), [
    {
      event: 'pusher:connection_established',
      data: JSON.stringify({ socket_id: '12.34', activity_timeout: 45 }),
    },
  ])
})

test('a channel that takes no client events refuses them, and its subscribers get nothing', () => {
  const { join, subscribe } = start({ takesClientEvents: (channel) => channel === 'private-open' })
  const [sender, other] = [join(), join()]
  for (const channel of ['private-open', 'private-fleet'])
    for (const peer of [sender, other]) subscribe(peer, channel)
  sender.take()
  other.take()
  sender.say({ event: 'client-x', channel: 'private-open', data: {} })
  sender.say({ event: 'client-x', channel: 'private-fleet', data: {} })
  assert.deepEqual(other.take(), [{ event: 'client-x', channel: 'private-open', data: {} }])
  const refusal = { code: 4301, message: 'This channel takes no client events.' }
  assert.deepEqual(sender.take(), [{ event: 'pusher:error', data: refusal }])
})

test('a full or disabled application tells so by the code of the close', () => {
  const full = new App({ ...credentials, maxConnections: 0 }, new FakeClock())
  const off = new App({ ...credentials, enabled: false }, new FakeClock())
  const [a, b] = [fakePeer('1.1'), fakePeer('1.2')]
  assert.deepEqual([full.connect(a), off.connect(b)], [undefined, undefined])
  assert.deepEqual([a.closed, b.closed], ['overQuota', 'appDisabled'])
  const { code, message } = closeCodes.overQuota
  assert.deepEqual(a.take(), [{ event: 'pusher:error', data: { code, message } }])
})

test('a published event reaches every subscriber of its channels but the one that caused it', () => {
  const { app, join, subscribe } = start()
  const [a, b, c] = [join(), join(), join()]
  for (const peer of [a, b]) subscribe(peer, 'news')
  subscribe(c, 'other')
  for (const peer of [a, b, c]) peer.take()
  app.publish({ name: 'told', data: '{"n":1}', channels: ['news', 'nobody'], exceptSocketId: a.socketId })
  assert.deepEqual([a.take(), c.take()], [[], []])
  assert.deepEqual(b.take(), [{ event: 'told', channel: 'news', data: '{"n":1}' }])
})

test('a private channel takes a subscription signed for this socket and this channel alone', () => {
  const { join, subscribe } = start()
  const [peer, other] = [join(), join()]
  subscribe(peer, 'private-fleet')
  assert.deepEqual(peer.take(), [event('pusher_internal:subscription_succeeded', 'private-fleet', {})])
  const stolen = channelAuth(credentials, peer.socketId, 'private-fleet')
  for (const auth of [stolen, undefined, 'key:', channelAuth(credentials, other.socketId, 'private-a')]) {
    other.say({ event: 'pusher:subscribe', data: { channel: 'private-fleet', auth } })
    const error = 'The signature of this subscription is wrong or missing.'
    const data = { type: 'AuthError', error, status: 401 }
    assert.deepEqual(other.take(), [{ event: 'pusher:subscription_error', channel: 'private-fleet', data }])
  }
})

test('another name of a private channel needs a signature too and gets the same events', () => {
  const { app, join, subscribe } = start({ privateAliases: { fleet: 'private-fleet' } })
  const [peer, thief] = [join(), join()]
  thief.say({ event: 'pusher:subscribe', data: { channel: 'fleet' } })
  assert.match(JSON.stringify(thief.take()), /subscription_error/)
  subscribe(peer, 'fleet')
  peer.take()
  app.publish({ name: 'told', data: '1', channels: ['private-fleet'] })
  assert.deepEqual([peer.take(), thief.take()], [[{ event: 'told', channel: 'fleet', data: '1' }], []])
})

test('members hear of the first arrival and the last departure of a user only [AG-015]', () => {
  const { app, join, subscribe } = start()
  const [watcher, first, second] = [join(), join(), join()]
  subscribe(watcher, 'presence-node.1', { user_id: 'w' })
  watcher.take()
  const agent = { user_id: 'agent.1', user_info: { kind: 'agent' } }
  subscribe(first, 'presence-node.1', agent)
  assert.deepEqual(watcher.take(), [event('pusher_internal:member_added', 'presence-node.1', agent)])
  const hash = { w: null, 'agent.1': { kind: 'agent' } }
  const presence = { count: 2, ids: ['w', 'agent.1'], hash }
  assert.deepEqual(first.take(), [
    event('pusher_internal:subscription_succeeded', 'presence-node.1', { presence }),
  ])
  subscribe(second, 'presence-node.1', agent)
  app.disconnect(first.connection)
  assert.deepEqual(watcher.take(), [])
  second.say({ event: 'pusher:unsubscribe', data: { channel: 'presence-node.1' } })
  app.disconnect(second.connection)
  assert.deepEqual(watcher.take(), [
    event('pusher_internal:member_removed', 'presence-node.1', { user_id: 'agent.1' }),
  ])
})

test('who subscribes again is confirmed, and nobody came or went; with another user one did [AG-015]', () => {
  const { join, subscribe } = start()
  const [watcher, agent] = [join(), join()]
  const channel = 'presence-node.1'
  subscribe(watcher, channel, { user_id: 'w' })
  subscribe(agent, channel, { user_id: 'agent.1' })
  for (const peer of [watcher, agent]) peer.take()
  subscribe(agent, channel, { user_id: 'agent.1' })
  assert.deepEqual(watcher.take(), [])
  const presence = { count: 2, ids: ['w', 'agent.1'], hash: { w: null, 'agent.1': null } }
  assert.deepEqual(agent.take(), [event('pusher_internal:subscription_succeeded', channel, { presence })])
  subscribe(agent, channel, { user_id: 'agent.2' })
  assert.deepEqual(watcher.take(), [
    event('pusher_internal:member_removed', channel, { user_id: 'agent.1' }),
    event('pusher_internal:member_added', channel, { user_id: 'agent.2' }),
  ])
})

test('a connection with all the channels that it may have can subscribe again to one of them, and to no other', () => {
  const { join, subscribe } = start()
  const peer = join()
  for (let count = 0; count < PUSHER_LIMITS.channelsPerConnection; count += 1)
    subscribe(peer, `news-${count}`)
  peer.take()
  subscribe(peer, 'news-0')
  subscribe(peer, 'news-more')
  const [again, more] = peer.take().map((message) => JSON.stringify(message))
  assert.match(again ?? '', /subscription_succeeded/)
  assert.match(more ?? '', /subscription_error/)
})

test('a client event goes to the other members with the user of its sender [AG-016, AG-017]', () => {
  const { join, subscribe } = start()
  const [sender, other] = [join(), join()]
  subscribe(sender, 'presence-a', { user_id: 'one' })
  subscribe(other, 'presence-a', { user_id: 'two' })
  for (const peer of [sender, other]) peer.take()
  sender.say({ event: 'client-hello', channel: 'presence-a', data: { n: 1 }, user_id: 'forged' })
  assert.deepEqual(sender.take(), [])
  assert.deepEqual(other.take(), [
    { event: 'client-hello', channel: 'presence-a', data: { n: 1 }, user_id: 'one' },
  ])
})

test('client events need a subscribed private or presence channel that is not encrypted', () => {
  const { join, subscribe } = start()
  const [sender, other] = [join(), join()]
  for (const channel of ['news', 'private-encrypted-a']) {
    subscribe(sender, channel)
    subscribe(other, channel)
  }
  subscribe(other, 'private-b')
  for (const peer of [sender, other]) peer.take()
  for (const channel of ['news', 'private-encrypted-a', 'private-b', 'private-none'])
    sender.say({ event: 'client-x', channel, data: {} })
  const refusals = sender.take().map((message) => JSON.stringify(message))
  assert.deepEqual([refusals.length, refusals.every((text) => text.includes('"code":4301'))], [4, true])
  assert.deepEqual(other.take(), [])
})

test('client events beyond the rate are dropped and told; the next second takes them again', () => {
  const { clock, join, subscribe } = start({ clientEventsPerSecond: 2 })
  const [sender, other] = [join(), join()]
  for (const peer of [sender, other]) subscribe(peer, 'private-a')
  for (const peer of [sender, other]) peer.take()
  const report = () => sender.say({ event: 'client-x', channel: 'private-a', data: {} })
  for (let count = 0; count < 3; count += 1) report()
  assert.deepEqual([sender.take().length, other.take().length], [1, 2])
  clock.advance(1000)
  report()
  assert.deepEqual([sender.take().length, other.take().length], [0, 1])
})

test('a cache channel replays its last event to new subscribers until it is too old', () => {
  const { app, clock, join, subscribe } = start({ cacheSeconds: 60 })
  app.publish({ name: 'told', data: '1', channels: ['cache-a'] })
  app.publish({ name: 'told', data: '2', channels: ['cache-a'] })
  const [early, late] = [join(), join()]
  subscribe(early, 'cache-a')
  assert.deepEqual(early.take()[1], { event: 'told', channel: 'cache-a', data: '2' })
  clock.advance(60_000)
  subscribe(late, 'cache-a')
  assert.deepEqual(late.take()[1], { event: 'pusher:cache_miss', channel: 'cache-a', data: '{}' })
})

test('a signed-in user gets what is sent to it on every connection; a watcher hears it come and go', () => {
  const { app, join } = start()
  const [watcher, user] = [join(), join()]
  const signIn = (peer: ReturnType<typeof join>, data: unknown): void => {
    const text = JSON.stringify(data)
    const auth = userAuth(credentials, peer.socketId, text)
    peer.say({ event: 'pusher:signin', data: { auth, user_data: text } })
  }
  const standing = (name: string) => ({
    event: 'pusher_internal:watchlist_events',
    data: JSON.stringify({ events: [{ name, user_ids: ['u'] }] }),
  })
  signIn(watcher, { id: 'w', watchlist: ['u'] })
  assert.deepEqual(watcher.take()[1], standing('offline'))
  signIn(user, { id: 'u' })
  assert.deepEqual(watcher.take(), [standing('online')])
  user.take()
  app.publish({ name: 'told', data: '{}', channels: ['#server-to-user-u'] })
  assert.deepEqual(user.take(), [{ event: 'told', channel: '#server-to-user-u', data: '{}' }])
  app.terminate('u')
  assert.equal(user.closed, 'terminated')
  assert.deepEqual(watcher.take(), [standing('offline')])
})

/** A client that has signed in, or tried to; what it was answered is not taken yet. */
function signingIn(peer: ReturnType<ReturnType<typeof start>['join']>, data: unknown): void {
  const user_data = JSON.stringify(data)
  peer.say({
    event: 'pusher:signin',
    data: { auth: userAuth(credentials, peer.socketId, user_data), user_data },
  })
}

test('ids of users may be signed as numbers and are text for everybody else', () => {
  const { app, join, subscribe } = start()
  const [member, watcher] = [join(), join()]
  subscribe(member, 'presence-x', { user_id: 669 })
  const presence = { count: 1, ids: ['669'], hash: { '669': null } }
  assert.deepEqual(member.take(), [
    event('pusher_internal:subscription_succeeded', 'presence-x', { presence }),
  ])
  subscribe(watcher, 'presence-x', { user_id: 1 })
  assert.deepEqual(member.take(), [event('pusher_internal:member_added', 'presence-x', { user_id: '1' })])
  member.say({ event: 'client-x', channel: 'presence-x', data: 1 })
  assert.deepEqual(watcher.take()[1], { event: 'client-x', channel: 'presence-x', data: 1, user_id: '669' })
  signingIn(member, { id: 7, watchlist: [8, '9'] })
  assert.deepEqual(
    member.take().map((message) => JSON.stringify(message)),
    [
      JSON.stringify({
        event: 'pusher:signin_success',
        data: JSON.stringify({ user_data: '{"id":7,"watchlist":[8,"9"]}' }),
      }),
      JSON.stringify({
        event: 'pusher_internal:watchlist_events',
        data: JSON.stringify({ events: [{ name: 'offline', user_ids: ['8', '9'] }] }),
      }),
    ],
  )
  app.publish({ name: 'told', data: '1', channels: ['#server-to-user-7'] })
  assert.equal(member.take().length, 1)
  for (const id of ['', null, true, {}, ['a'], 'x'.repeat(129), undefined]) {
    const other = join()
    signingIn(other, { id })
    assert.deepEqual(other.take(), [
      { event: 'pusher:error', data: { code: null, message: 'user_data needs an `id`.' } },
    ])
    assert.equal(other.closed, undefined)
  }
})

test('a sign-in as another user is refused and the first one stays', () => {
  const { app, join } = start()
  const peer = join()
  signingIn(peer, { id: 'a' })
  signingIn(peer, { id: 'a' })
  signingIn(peer, { id: 'b' })
  const [, , refusal] = peer.take()
  const message = 'Another user has signed in on this connection.'
  assert.deepEqual(refusal, { event: 'pusher:error', data: { code: null, message } })
  app.publish({ name: 'told', data: '1', channels: ['#server-to-user-a', '#server-to-user-b'] })
  assert.equal(peer.take().length, 1)
})

test('a watchlist that is too long counts in part, and the sign-in succeeds', () => {
  const { join } = start()
  const [peer, last] = [join(), join()]
  signingIn(peer, { id: 'a', watchlist: Array.from({ length: 101 }, (_, user) => `u${user}`) })
  const answers = peer.take().map((message) => JSON.stringify(message))
  assert.match(answers[0] ?? '', /signin_success/)
  assert.match(answers[1] ?? '', /"code":4302/)
  signingIn(last, { id: 'u100' })
  assert.deepEqual(peer.take(), [])
  signingIn(join(), { id: 'u99' })
  assert.equal(peer.take().length, 1)
})

test('who claims to be another, or whose user is ended, reads why and is gone at once', () => {
  const { app, join, subscribe } = start()
  const [thief, user, watcher] = [join(), join(), join()]
  for (const [peer, user_id] of [
    [thief, 't'],
    [user, 'u'],
    [watcher, 'w'],
  ] as const)
    subscribe(peer, 'presence-x', { user_id })
  for (const peer of [thief, user, watcher]) peer.take()
  thief.say({ event: 'pusher:signin', data: { auth: 'key:wrong', user_data: '{"id":"u"}' } })
  signingIn(user, { id: 'u' })
  user.take()
  app.terminate('u')
  const errorOf = (reason: 'terminated' | 'unauthorized') => {
    const { code, message } = closeCodes[reason]
    return { event: 'pusher:error', data: { code, message } }
  }
  assert.deepEqual([thief.take(), thief.closed], [[errorOf('unauthorized')], 'unauthorized'])
  assert.deepEqual([user.take(), user.closed], [[errorOf('terminated')], 'terminated'])
  assert.deepEqual(app.channels.find('presence-x')?.roster?.userIds(), ['w'])
  assert.equal(watcher.take().length, 2)
  for (const peer of [thief, user]) {
    subscribe(peer, 'presence-x', { user_id: 'late' })
    peer.say({ event: 'client-x', channel: 'presence-x', data: 1 })
    assert.deepEqual(peer.take(), [])
  }
  assert.deepEqual([watcher.take(), app.connectionCount], [[], 1])
})

test('a message over 10,000 bytes is refused and the connection stays [LIM-012]', () => {
  const { app, join, subscribe } = start()
  const [sender, other] = [join(), join()]
  for (const peer of [sender, other]) subscribe(peer, 'private-a')
  for (const peer of [sender, other]) peer.take()
  const message = (size: number): string => {
    const text = (data: string) => JSON.stringify({ event: 'client-x', channel: 'private-a', data })
    return text('x'.repeat(size - text('').length))
  }
  app.receive(sender.connection, message(PUSHER_LIMITS.messageBytes))
  assert.equal(other.take().length, 1)
  app.receive(sender.connection, message(PUSHER_LIMITS.messageBytes + 1))
  assert.deepEqual([other.take().length, sender.take().length, sender.closed], [0, 1, undefined])
})

test('no input of a client throws, closes or reaches anybody else', () => {
  const { app, join, subscribe } = start()
  const [sender, other] = [join(), join()]
  subscribe(other, 'private-a')
  other.take()
  const names = fc.constantFrom(
    'pusher:subscribe',
    'pusher:signin',
    'pusher:ping',
    'client-x',
    '__proto__',
    '',
  )
  const members = fc.record(
    { event: names, channel: fc.string(), data: fc.anything(), user_id: fc.string() },
    { requiredKeys: [] },
  )
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    members.map((value) => JSON.stringify(value) ?? ''),
  )
  fc.assert(
    fc.property(texts, (text) => {
      app.receive(sender.connection, text)
      for (const message of sender.take()) assert.match(JSON.stringify(message), /^\{"event":"/)
    }),
  )
  assert.deepEqual(other.take(), [])
})

test('whatever order they come and go in, the roster is who is there', () => {
  const users = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 40 })
  fc.assert(
    fc.property(users, (moves) => {
      const { app, join, subscribe } = start()
      const there: { readonly user: string; readonly peer: ReturnType<typeof join> }[] = []
      for (const [user, arrives] of moves) {
        if (arrives) {
          const peer = join()
          subscribe(peer, 'presence-x', { user_id: user })
          there.push({ user, peer })
        } else {
          const index = there.findIndex((one) => one.user === user)
          for (const { peer } of index < 0 ? [] : there.splice(index, 1)) app.disconnect(peer.connection)
        }
      }
      const roster = app.channels.find('presence-x')?.roster?.userIds() ?? []
      assert.deepEqual(new Set(roster), new Set(there.map(({ user }) => user)))
      assert.equal(app.channels.find('presence-x') === undefined, there.length === 0)
    }),
  )
})
