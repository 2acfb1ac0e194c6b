import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import { answerApiRequest, App, channelAuth, signRequest, userAuth } from '#/index.ts'
import { fakePeer } from '#/fake-peer.ts'

const credentials = { id: 'fleet', key: 'key', secret: new Secret('s3cret') }
const NOW = 1_800_000_000

function start() {
  const app = new App(credentials, new FakeClock())
  const ask = (
    method: string,
    path: string,
    body?: unknown,
    query: Record<string, string> = {},
    seconds = NOW,
  ) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const request = { method, path: `/apps/fleet${path}`, query }
    const signed = signRequest(credentials, request, text, seconds)
    return answerApiRequest(
      (id) => (id === 'fleet' ? app : undefined),
      { ...request, query: signed, body: Buffer.from(text) },
      NOW,
    )
  }
  const member = (socketId: string, channel: string, userId: string) => {
    const peer = fakePeer(socketId)
    const connection = app.connect(peer) ?? assert.fail()
    const data = JSON.stringify({ user_id: userId })
    const auth = channelAuth(credentials, socketId, channel, data)
    app.receive(
      connection,
      JSON.stringify({ event: 'pusher:subscribe', data: { channel, auth, channel_data: data } }),
    )
    peer.take()
    return Object.assign(peer, { connection })
  }
  return { app, ask, member }
}

test('an event is published to its channels and answered with what was asked about them', () => {
  const { ask, member } = start()
  const peer = member('1.1', 'presence-a', 'u')
  const event = { name: 'told', data: '{}', channels: ['presence-a'], info: 'user_count' }
  assert.deepEqual(ask('POST', '/events', event), {
    status: 200,
    body: { channels: { 'presence-a': { user_count: 1 } } },
  })
  assert.deepEqual(peer.take(), [{ event: 'told', channel: 'presence-a', data: '{}' }])
  assert.deepEqual(ask('POST', '/events', { name: 'told', data: '{}', channel: 'x', socket_id: '1.1' }), {
    status: 200,
    body: {},
  })
})

test('a batch is taken whole or not at all', () => {
  const { ask, member } = start()
  const peer = member('1.1', 'presence-a', 'u')
  const one = { name: 'told', data: '1', channel: 'presence-a' }
  assert.deepEqual(ask('POST', '/batch_events', { batch: [one, one] }), { status: 200, body: {} })
  assert.equal(peer.take().length, 2)
  const bad = [
    { batch: [one, { ...one, channel: 'not a channel' }] },
    { batch: [one, { ...one, data: 'x'.repeat(10_001) }] },
    { batch: Array.from({ length: 11 }, () => one) },
  ]
  assert.deepEqual(
    bad.map((body) => ask('POST', '/batch_events', body).status),
    [400, 413, 400],
  )
  assert.equal(peer.take().length, 0)
})

test('channels, one channel and its users are reported as they are', () => {
  const { ask, member } = start()
  for (const [socketId, user] of [
    ['1.1', 'a'],
    ['1.2', 'a'],
    ['1.3', 'b'],
  ] as const)
    member(socketId, 'presence-x', user)
  const listed = { filter_by_prefix: 'presence-', info: 'user_count' }
  assert.deepEqual(ask('GET', '/channels', undefined, listed).body, {
    channels: { 'presence-x': { user_count: 2 } },
  })
  assert.deepEqual(ask('GET', '/channels/presence-x/users').body, { users: [{ id: 'a' }, { id: 'b' }] })
  assert.deepEqual(ask('GET', '/channels/none', undefined, { info: 'subscription_count' }).body, {
    occupied: false,
    subscription_count: 0,
  })
  const refused = [
    ask('GET', '/channels', undefined, { info: 'user_count' }),
    ask('GET', '/channels/private-a/users'),
    ask('GET', '/events'),
    ask('GET', '/nothing'),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [400, 400, 405, 404],
  )
})

test('a request is taken only with the signature of the application, its whole body and its time', () => {
  const { app, ask } = start()
  const event = { name: 'told', data: '{}', channel: 'a' }
  assert.deepEqual(
    [NOW - 600, NOW + 600, NOW - 601, NOW + 601].map((at) => ask('POST', '/events', event, {}, at).status),
    [200, 200, 401, 401],
  )
  const request = { method: 'POST', path: '/apps/fleet/events', query: {} }
  const text = JSON.stringify(event)
  const query = signRequest(credentials, request, text, NOW)
  const send = (given: Record<string, string>, body = text, path = request.path) =>
    answerApiRequest(() => app, { method: 'POST', path, query: given, body: Buffer.from(body) }, NOW).status
  assert.equal(send(query), 200)
  const tampered = [
    send(query, text.replace('told', 'sold')),
    send({ ...query, auth_signature: query['auth_signature']?.replace(/^./, 'z') ?? '' }),
    send({ ...query, auth_key: 'other' }),
    send({ ...query, extra: '1' }),
    send(query, text, '/apps/fleet/batch_events'),
    send({}),
  ]
  assert.deepEqual(tampered, [401, 401, 401, 401, 401, 401])
})

test('an unknown application and a broken body are distinguished', () => {
  const { ask } = start()
  const nothing = answerApiRequest(
    () => undefined,
    { method: 'GET', path: '/apps/9/channels', query: {}, body: Buffer.alloc(0) },
    NOW,
  )
  assert.equal(nothing.status, 404)
  const broken = [
    {},
    { name: 'x', data: {} },
    { name: 'x', data: '' },
    [],
    7,
    { name: '', data: '', channel: 'a' },
  ]
  assert.deepEqual(
    broken.map((body) => ask('POST', '/events', body).status),
    [400, 400, 400, 400, 400, 400],
  )
})

test('ending a user ends the connections that it signed in on, and no mere membership of that id', () => {
  const { app, ask, member } = start()
  const [a, b] = [member('1.1', 'presence-x', 'member'), member('1.2', 'presence-x', 'b')]
  const user_data = JSON.stringify({ id: 'a' })
  const auth = userAuth(credentials, '1.1', user_data)
  app.receive(a.connection, JSON.stringify({ event: 'pusher:signin', data: { auth, user_data } }))
  assert.equal(ask('POST', '/users/b/terminate_connections', {}).status, 200)
  assert.deepEqual([a.closed, b.closed], [undefined, undefined])
  assert.equal(ask('POST', '/users/a/terminate_connections', {}).status, 200)
  assert.deepEqual([a.closed, b.closed], ['terminated', undefined])
  assert.deepEqual(ask('GET', '/channels/presence-x/users').body, { users: [{ id: 'b' }] })
})

test('addresses that lost access lose the connections that need it, and no other ones', () => {
  const needsAccess = (channel: string, userId: string | undefined) =>
    channel === 'news' || userId === 'viewer'
  const clock = new FakeClock()
  const app = new App({ ...credentials, needsAccess }, clock)
  const join = (socketId: string, address: string, channel: string) => {
    const peer = fakePeer(socketId, address)
    app.receive(
      app.connect(peer) ?? assert.fail(),
      JSON.stringify({ event: 'pusher:subscribe', data: { channel } }),
    )
    return peer
  }
  const member = (socketId: string, address: string, userId: string) => {
    const peer = fakePeer(socketId, address)
    const data = JSON.stringify({ user_id: userId })
    const auth = channelAuth(credentials, socketId, 'presence-a', data)
    app.receive(
      app.connect(peer) ?? assert.fail(),
      JSON.stringify({
        event: 'pusher:subscribe',
        data: { channel: 'presence-a', auth, channel_data: data },
      }),
    )
    return peer
  }
  const peers = [
    join('1.1', '10.0.0.1', 'news'),
    join('1.2', '10.0.0.2', 'news'),
    join('1.3', '10.0.0.1', 'other'),
    member('1.4', '10.0.0.1', 'viewer'),
    member('1.5', '10.0.0.1', 'agent'),
  ]
  const ask = (method: string, body: unknown) => {
    const text = JSON.stringify(body)
    const request = { method, path: '/apps/fleet/addresses/terminate_connections', query: {} }
    const signed = {
      ...request,
      query: signRequest(credentials, request, text, NOW),
      body: Buffer.from(text),
    }
    return answerApiRequest(() => app, signed, NOW)
  }
  assert.equal(ask('GET', {}).status, 405)
  assert.equal(ask('POST', { addresses: '10.0.0.1' }).status, 400)
  assert.deepEqual(ask('POST', { addresses: ['10.0.0.1', '10.0.0.9'] }), { status: 200, body: {} })
  assert.deepEqual(
    peers.map(({ closed }) => closed),
    ['revoked', undefined, undefined, 'revoked', undefined],
  )
  assert.equal(app.connectionCount, 3)
  // A signature that was kept for later ends with the connection that it was made for.
  clock.advance(29_999)
  ask('POST', { addresses: ['10.0.0.1'] })
  assert.equal(app.connectionCount, 3)
  clock.advance(1)
  ask('POST', { addresses: ['10.0.0.1'] })
  assert.deepEqual(
    peers.map(({ closed }) => closed),
    ['revoked', undefined, 'revoked', 'revoked', undefined],
  )
})
