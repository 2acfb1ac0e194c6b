import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { channelAuth } from '@fleet/pusher'
import { type Connection, openConnection, type PusherMessage } from '@fleet/pusher-client'
import { eventually, FakeClock } from '@fleet/testing'
import { APP, startPusherWorld } from './harness.ts'
import { GREETING, handshake, startRaw, startTcp } from './raw-server.ts'

const open = (context: TestContext, url: string, clock = systemClock): Promise<Connection> => {
  const stop = new AbortController()
  context.after(() => stop.abort())
  return openConnection({ url, key: APP.key }, { clock, signal: stop.signal })
}
const presence = (connection: Connection, channel: string, userId: string) => {
  const channel_data = JSON.stringify({ user_id: userId, user_info: { kind: userId } })
  return { auth: channelAuth(APP, connection.socketId, channel, channel_data), channel_data }
}
const hearing = (connection: Connection): PusherMessage[] => {
  const heard: PusherMessage[] = []
  connection.onMessage((message) => heard.push(message))
  return heard
}

test('members, who comes and goes, and client events with their sender arrive [AG-015, AG-016, AG-017]', async (context) => {
  await using world = await startPusherWorld()
  const channel = 'presence-node.7'
  const [one, two] = [await open(context, world.server.url), await open(context, world.server.url)]
  const [heardByOne, heardByTwo] = [hearing(one), hearing(two)]
  await one.subscribe(channel, presence(one, channel, 'gateway.1'))
  const members = await two.subscribe(channel, presence(two, channel, 'agent.7'))
  assert.deepEqual(
    [...members],
    [
      ['gateway.1', { kind: 'gateway.1' }],
      ['agent.7', { kind: 'agent.7' }],
    ],
  )
  two.trigger(channel, 'client-heartbeat', { sequence: 1 })
  await eventually(() => heardByOne.length === 2)
  one.trigger(channel, 'client-other', 'text')
  await eventually(() => heardByTwo.length === 1)
  two.unsubscribe(channel)
  await eventually(() => heardByOne.length === 3)
  assert.deepEqual(heardByOne, [
    { event: 'pusher:member_added', channel, data: { user_id: 'agent.7', user_info: { kind: 'agent.7' } } },
    { event: 'client-heartbeat', channel, data: { sequence: 1 }, userId: 'agent.7' },
    { event: 'pusher:member_removed', channel, data: { user_id: 'agent.7' } },
  ])
  assert.deepEqual(heardByTwo, [{ event: 'client-other', channel, data: 'text', userId: 'gateway.1' }])
})

test('an event of the HTTP API arrives parsed, and a wrong signature is reported with its status', async (context) => {
  await using world = await startPusherWorld()
  const client = await open(context, world.server.url)
  const heard = hearing(client)
  await assert.rejects(client.subscribe('private-fleet', { auth: 'app-key:no' }), {
    code: 'refused',
    status: 401,
  })
  await client.subscribe('private-fleet', { auth: channelAuth(APP, client.socketId, 'private-fleet') })
  await world.publisher.trigger('private-fleet', 'node.updated', { id: 7 })
  await eventually(() => heard.length === 1)
  assert.deepEqual(heard, [{ event: 'node.updated', channel: 'private-fleet', data: { id: 7 } }])
})

test('a message over 10,000 bytes is not sent [AG-029, LIM-012]', async (context) => {
  await using world = await startPusherWorld()
  const client = await open(context, world.server.url)
  assert.throws(() => client.trigger('presence-a', 'client-a', 'x'.repeat(10_000)), {
    code: 'message_too_large',
  })
})

test('a server that knows no such application, sends everyone away or stops tells it by its code', async (context) => {
  await using world = await startPusherWorld()
  const stop = new AbortController()
  const deps = { clock: systemClock, signal: stop.signal }
  await assert.rejects(openConnection({ url: world.server.url, key: 'other' }, deps), {
    code: 'refused',
    closeCode: 4001,
  })
  const client = await open(context, world.server.url)
  await world.server.stop()
  assert.deepEqual((await client.closed).code, 4200)
  await assert.rejects(client.subscribe('a'), { code: 'closed' })
  client.trigger('presence-a', 'client-a', {})
})

test('a port without a server, another protocol and an owner who gave up end the attempt', async (context) => {
  await using other = await startTcp((socket) =>
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'),
  )
  await using rubbish = await startTcp((socket) => socket.end('\0\0\0'))
  for (const url of ['ws://127.0.0.1:1', other.url, rubbish.url])
    await assert.rejects(open(context, url), { code: 'unreachable' })
  await using silent = await startTcp(() => undefined)
  const stop = new AbortController()
  const opening = openConnection({ url: silent.url, key: 'k' }, { clock: systemClock, signal: stop.signal })
  stop.abort()
  await assert.rejects(opening, { code: 'closed' })
})

test('a connection comes from the address that is given', async (context) => {
  const from: Array<string | undefined> = []
  await using server = await startTcp((socket) => {
    from.push(socket.remoteAddress)
    socket.end()
  })
  const deps = { clock: systemClock, signal: context.signal }
  const target = { url: server.url, key: 'k', localAddress: '127.44.0.9' }
  await assert.rejects(openConnection(target, deps), { code: 'unreachable' })
  assert.deepEqual(from, ['127.44.0.9'])
})

test('a server that takes the connection and never greets is given up after 10 s [AGT-034]', async (context) => {
  const taken = { tcp: 0, ws: 0 }
  await using silent = await startTcp(() => void (taken.tcp += 1))
  await using ungreeting = await startRaw(() => void (taken.ws += 1))
  for (const [server, kind] of [
    [silent, 'tcp'],
    [ungreeting, 'ws'],
  ] as const) {
    const clock = new FakeClock()
    let over = false
    const opening = open(context, server.url, clock).finally(() => (over = true))
    opening.catch(() => undefined)
    await eventually(() => taken[kind] === 1)
    clock.advance(9999)
    await new Promise(setImmediate)
    assert.equal(over, false)
    clock.advance(1)
    await assert.rejects(opening, { code: 'timeout' })
  }
})

test('a subscription without an answer is given up after 30 s, one on a broken connection at once [AGT-034]', async (context) => {
  await using server = await startRaw((ws) => {
    ws.send(GREETING)
    ws.on('message', (text) => {
      // Half of a frame, then nothing more.
      if (String(text).includes('"cut"')) ws.terminate()
    })
  })
  const clock = new FakeClock()
  const client = await open(context, server.url, clock)
  const joining = client.subscribe('a')
  clock.advance(29_999)
  await new Promise(setImmediate)
  const rejected = assert.rejects(joining, { code: 'timeout' })
  clock.advance(1)
  await rejected
  await assert.rejects((await open(context, server.url)).subscribe('cut'), { code: 'closed' })
})

test('after 15 s of quiet the server is asked, and 10 s later left [AGT-035]', async (context) => {
  const heard: string[] = []
  let answers = true
  await using server = await startRaw((ws) => {
    ws.send(GREETING)
    ws.on('message', (text) => {
      heard.push(String(text))
      if (answers) ws.send('{"event":"pusher:pong","data":{}}')
    })
  })
  const clock = new FakeClock()
  const client = await open(context, server.url, clock)
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  }
  clock.advance(14_999)
  await settle()
  assert.deepEqual(heard, [])
  clock.advance(1)
  await eventually(() => heard.length === 1)
  await settle()
  answers = false
  clock.advance(10_000)
  await settle()
  clock.advance(4999)
  await settle()
  assert.equal(heard.length, 1)
  clock.advance(1)
  await eventually(() => heard.length === 2)
  assert.deepEqual(
    heard,
    Array.from({ length: 2 }, () => '{"event":"pusher:ping","data":{}}'),
  )
  let over = false
  void client.closed.then(() => (over = true))
  clock.advance(9999)
  await settle()
  assert.equal(over, false)
  clock.advance(1)
  assert.deepEqual(await client.closed, { code: undefined, reason: '' })
})

test('a server that closes in the middle of a frame ends the connection, not the process', async (context) => {
  await using server = await startTcp((socket) => {
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (.+)\r\n/i.exec(request.toString())?.[1] ?? ''
      socket.write(handshake(key))
      socket.write(Buffer.concat([Buffer.from([0x81, GREETING.length]), Buffer.from(GREETING)]))
      // A text frame of 100 bytes that holds three of them.
      setImmediate(() => socket.end(Buffer.from([0x81, 100, 0x7b, 0x22, 0x65])))
    })
  })
  const client = await open(context, server.url)
  assert.deepEqual(await client.closed, { code: undefined, reason: '' })
})

test('rubbish and messages over 64 KB are passed over; the next message arrives [AGT-039]', async (context) => {
  const long = JSON.stringify({ event: 'a', data: 'x'.repeat(64 * 1024) })
  const rubbish = ['', '{', '[]', 'null', '{"event":7}', '{"data":1}', '"a"', long, GREETING]
  await using server = await startRaw((ws) => {
    ws.send(GREETING)
    ws.on('message', () => {
      for (const text of rubbish) ws.send(text)
      ws.send(Buffer.from([0, 1, 2]))
      ws.send('{"event":"b","channel":"c","data":"{"}')
    })
  })
  const client = await open(context, server.url)
  const heard = hearing(client)
  client.unsubscribe('c')
  await eventually(() => heard.length > 0)
  assert.deepEqual(heard, [{ event: 'b', channel: 'c', data: '{' }])
})
