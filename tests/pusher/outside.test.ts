import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type Clock, systemClock } from '@fleet/kernel'
import { channelAuth, userAuth } from '@fleet/pusher'
import { eventually } from '@fleet/testing'
import * as fc from 'fast-check'
import { WebSocket } from 'ws'
import { APP, type PusherWorld, startPusherWorld } from './harness.ts'

interface Message {
  readonly event: string
  readonly data: string
}

const PATH = `/app/${APP.key}?protocol=7`

const heard = (ws: WebSocket): Promise<Message> =>
  new Promise((resolve) => {
    ws.once('message', (data: Buffer) => resolve(JSON.parse(data.toString()) as Message)) // The server writes objects with an event.
  })

const closed = (ws: WebSocket): Promise<number> => new Promise((resolve) => ws.once('close', resolve))

const connectTo = (world: PusherWorld, path: string, origin?: string): WebSocket =>
  new WebSocket(`${world.server.url}${path}`, origin === undefined ? {} : { origin })

const open = async (world: PusherWorld, path = PATH, origin?: string) => {
  const ws = connectTo(world, path, origin)
  return { ws, first: await heard(ws) }
}

const closeOf = (world: PusherWorld, path: string, origin?: string): Promise<number> =>
  closed(connectTo(world, path, origin))

test('who is not let in learns why from the code of the close', async () => {
  await using world = await startPusherWorld({ origins: ['*.fleet', 'console.test'] })
  const paths = [
    '/app/other?protocol=7',
    '/nothing',
    `/app/${APP.key}`,
    `/app/${APP.key}?protocol=x`,
    `/app/${APP.key}?protocol=6`,
  ]
  const codes = await Promise.all(paths.map((path) => closeOf(world, path)))
  assert.deepEqual(codes, [4001, 4005, 4008, 4006, 4007])
  assert.equal(await closeOf(world, PATH, 'https://evil.test'), 4009)
  assert.equal(await closeOf(world, PATH, 'https://fleet'), 4009)
  for (const origin of ['https://gateway.fleet', 'http://console.test:8080', undefined]) {
    const { ws, first } = await open(world, PATH, origin)
    assert.equal(first.event, 'pusher:connection_established')
    ws.terminate()
  }
})

test('without a list of origins no page may connect, and every program', async () => {
  await using world = await startPusherWorld()
  assert.equal(await closeOf(world, PATH, world.server.url.replace('ws', 'http')), 4009)
  const { ws, first } = await open(world)
  assert.equal(first.event, 'pusher:connection_established')
  ws.terminate()
})

test('one connection too many is asked to retry later', async () => {
  await using world = await startPusherWorld({ limits: { maxConnections: 1 } })
  const { ws } = await open(world)
  assert.equal(await closeOf(world, PATH), 4100)
  ws.close()
  await once(ws, 'close')
  const again = await open(world)
  assert.equal(again.first.event, 'pusher:connection_established')
})

test('a client that does not read is dropped, and the others get everything', async () => {
  await using world = await startPusherWorld({ limits: { maxQueuedBytes: 200_000 } })
  const [slow, quick] = [await open(world), await open(world)]
  for (const { ws } of [slow, quick])
    ws.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'news' } }))
  await Promise.all([once(slow.ws, 'message'), once(quick.ws, 'message')])
  slow.ws.pause()
  const arrived: number[] = []
  quick.ws.on('message', (bytes: Buffer) => arrived.push(bytes.length))
  const sent: string[] = []
  while (world.server.connections === 2) {
    const data = 'x'.repeat(9000)
    await world.publisher.trigger('news', 'told', data)
    sent.push(data)
  }
  await eventually(() => arrived.length === sent.length)
  slow.ws.terminate()
})

test('a silent client is asked, and ended when it does not answer', async () => {
  const apps = [{ ...APP, activityTimeoutSeconds: 0 }]
  await using world = await startPusherWorld({ apps, limits: { pongSeconds: 0 } })
  const { ws } = await open(world)
  assert.equal((await heard(ws)).event, 'pusher:ping')
  assert.equal(await closed(ws), 4201)
})

test('a flood of messages ends the client that makes it, not the server', async () => {
  await using world = await startPusherWorld({ limits: { messagesPerSecond: 50 } })
  const { ws } = await open(world)
  const other = await open(world)
  const texts: string[] = []
  ws.on('message', (bytes: Buffer) => texts.push(bytes.toString()))
  for (let count = 0; count < 500; count += 1) ws.send('{"event":"pusher:ping"}')
  assert.equal(await closed(ws), 4100)
  assert.match(texts.at(-1) ?? '', /pusher:error.*too many messages in one second/)
  other.ws.send('{"event":"pusher:ping"}')
  assert.equal((await heard(other.ws)).event, 'pusher:pong')
})

test('bytes of any kind on the wire never end the server or another client', async () => {
  await using world = await startPusherWorld()
  const witness = await open(world)
  const upgrade = `GET /app/${APP.key}?protocol=7 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
  const throwAt = async (bytes: Uint8Array, upgraded: boolean): Promise<void> => {
    const socket = connect(world.server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    if (upgraded) socket.write(upgrade)
    socket.end(bytes)
    await text(socket).catch(() => '')
  }
  const bytes = fc.uint8Array({ maxLength: 300 })
  await fc.assert(fc.asyncProperty(bytes, fc.boolean(), throwAt), { numRuns: 150 })
  const auth = channelAuth(APP, '1.1', 'x')
  witness.ws.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'x', auth } }))
  assert.equal((await heard(witness.ws)).event, 'pusher_internal:subscription_succeeded')
})

test('a message that is no text, or far too long, is answered or ends its sender alone', async () => {
  await using world = await startPusherWorld()
  const [binary, long, other] = [await open(world), await open(world), await open(world)]
  binary.ws.send(Buffer.from([1, 2, 3]))
  assert.equal((await heard(binary.ws)).event, 'pusher:error')
  long.ws.send('x'.repeat(100_000))
  assert.equal(await closed(long.ws), 1009)
  assert.equal(other.ws.readyState, WebSocket.OPEN)
})

interface Member {
  readonly ws: WebSocket
  readonly socketId: string
}

/** A raw client on a presence channel; it answers no ping. */
async function member(world: PusherWorld, user_id: string): Promise<Member> {
  const { ws, first } = await open(world)
  const socketId = /\d+\.\d+/.exec(first.data)?.[0] ?? ''
  const channel_data = JSON.stringify({ user_id })
  const auth = channelAuth(APP, socketId, 'presence-x', channel_data)
  ws.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'presence-x', auth, channel_data } }))
  assert.equal((await heard(ws)).event, 'pusher_internal:subscription_succeeded')
  return { ws, socketId }
}

test('whose connections are ended reads why, is on no channel from then on, and nobody else notices', async () => {
  await using world = await startPusherWorld()
  const [user, other] = [await member(world, 'u'), await member(world, 'o')]
  const user_data = JSON.stringify({ id: 'u' })
  user.ws.send(
    JSON.stringify({
      event: 'pusher:signin',
      data: { auth: userAuth(APP, user.socketId, user_data), user_data },
    }),
  )
  const success = JSON.stringify({ user_data })
  while ((await heard(user.ws)).data !== success);
  const [error, code] = [heard(user.ws), closed(user.ws)]
  await world.publisher.terminateUserConnections('u')
  // Between the two requests the socket of the user has hardly had the time to end.
  const users = await world.publisher.get({ path: '/channels/presence-x/users', params: {} })
  assert.deepEqual(await users.json(), { users: [{ id: 'o' }] })
  const message = 'The application ended the connections of this user.'
  assert.deepEqual(await error, { event: 'pusher:error', data: { message, code: 4009 } })
  assert.equal(await code, 4009)
  assert.equal(other.ws.readyState, WebSocket.OPEN)
})

test('whoever begins to close a connection is off its channels before the socket is gone', async () => {
  const apps = [{ ...APP, activityTimeoutSeconds: 0 }]
  await using world = await startPusherWorld({ apps, limits: { pongSeconds: 1 } })
  const { ws: watcher } = await member(world, 'watcher')
  const removed: string[] = []
  watcher.on('message', (bytes: Buffer) => {
    const { event, data } = JSON.parse(bytes.toString()) as Message // The server writes objects with an event.
    if (event === 'pusher:ping') watcher.send('{"event":"pusher:pong","data":{}}')
    else if (event === 'pusher_internal:member_removed') removed.push(data)
  })
  // It never answers the close of the server, which keeps its socket for half a minute.
  const { ws: dead } = await member(world, 'dead')
  dead.pause()
  await eventually(() => removed.length === 1)
  assert.equal(world.server.connections, 2)
  // It says goodbye and reads nothing any more, so it does not see the answer.
  const { ws: leaving } = await member(world, 'leaving')
  leaving.pause()
  leaving.close()
  await eventually(() => removed.length === 2)
  assert.deepEqual([removed, world.server.connections], [['{"user_id":"dead"}', '{"user_id":"leaving"}'], 3])
  for (const ws of [dead, leaving]) ws.terminate()
})

test('empty data of the protocol is an empty object in its text', async () => {
  await using world = await startPusherWorld()
  const { ws } = await open(world)
  const answer = async (event: string, data: unknown): Promise<unknown> => {
    ws.send(JSON.stringify({ event, data }))
    return heard(ws)
  }
  assert.deepEqual(await answer('pusher:ping', {}), { event: 'pusher:pong', data: '{}' })
  const channel = 'cache-empty'
  const messages: unknown[] = []
  ws.on('message', (bytes: Buffer) => messages.push(JSON.parse(bytes.toString())))
  ws.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel } }))
  await eventually(() => messages.length === 2)
  assert.deepEqual(messages, [
    { event: 'pusher_internal:subscription_succeeded', channel, data: '{}' },
    { event: 'pusher:cache_miss', channel, data: '{}' },
  ])
})

test('a server that stops sends its clients elsewhere', async () => {
  const drained = Promise.withResolvers<void>()
  const hour = 3_600_000
  const sleep: Clock['sleep'] = (milliseconds, signal) =>
    milliseconds === hour ? drained.promise : systemClock.sleep(milliseconds, signal)
  const world = await startPusherWorld({
    clock: { ...systemClock, sleep },
    limits: { drainSeconds: hour / 1000 },
  })
  const { ws } = await open(world)
  const code = closed(ws)
  const stopped = world.server.stop()
  assert.equal(await code, 4200)
  // It comes back at once, and would do so again and again.
  assert.equal(await closeOf(world, PATH), 4100)
  drained.resolve()
  await stopped
  await world[Symbol.asyncDispose]()
})

test('counts are given to this machine', async () => {
  await using world = await startPusherWorld()
  await open(world)
  const answer = await fetch(`http://127.0.0.1:${world.server.port}/metrics`)
  const metrics = await answer.text()
  assert.match(metrics, /^fleet_websocket_connections 1$/m)
  assert.match(metrics, /^fleet_websocket_opened_total 1$/m)
})
