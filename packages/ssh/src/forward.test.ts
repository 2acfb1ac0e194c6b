import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { run } from '@fleet/shell'
import { eventually, FakeClock, startTestNode } from '@fleet/testing'
import { ForwardRefused, SshFailure } from './types.ts'

const OPTIONS = { timeoutMilliseconds: 30_000, lifetimeMilliseconds: 3_600_000 }

/** A server that answers what it gets in capitals. */
async function startEcho(where: ListenOptions = { host: '127.0.0.1', port: 0 }) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined))
    socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase()))
  })
  server.listen(where)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port, // Of a Unix socket nobody asks it.
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answerTo(stream: Duplex, text: string): Promise<string> {
  stream.write(text)
  const [chunk] = (await once(stream, 'data')) as [Buffer] // A stream without an encoding gives bytes.
  return chunk.toString()
}

test('streams to several ports and to a Unix socket share the one connection of the Node with its commands', async () => {
  await using node = await startTestNode()
  const path = join(node.home, 'socket')
  await using first = await startEcho()
  await using second = await startEcho({ path })
  const streams = await Promise.all([
    node.pool.forward(node.target, { host: '127.0.0.1', port: first.port }, OPTIONS),
    node.pool.forward(node.target, { host: 'localhost', port: first.port }, OPTIONS),
    node.pool.forward(node.target, { socketPath: path }, OPTIONS),
  ])
  const answers = streams.map((stream, index) => answerTo(stream, `hello ${index}`))
  assert.equal((await node.pool.run(node.target, run('true'), OPTIONS)).exitCode, 0)
  assert.deepEqual(await Promise.all(answers), ['HELLO 0', 'HELLO 1', 'HELLO 2'])
  assert.equal(node.server.accepted(), 1)
  for (const stream of streams) stream.destroy()
  await eventually(() => first.sockets.size === 0 && second.sockets.size === 0)
})

test('a connection stays open under a stream and closes 60 seconds after the last one', async () => {
  const clock = new FakeClock()
  await using node = await startTestNode({ clock })
  await using echo = await startEcho()
  const to = { host: '127.0.0.1', port: echo.port }
  const stream = await node.pool.forward(node.target, to, OPTIONS)
  clock.advance(300_000)
  assert.equal(await answerTo(stream, 'a'), 'A')
  stream.destroy()
  await once(stream, 'close')
  clock.advance(59_999)
  assert.equal(node.server.connections(), 1)
  clock.advance(60_000)
  await eventually(() => node.server.connections() === 0)
  const fresh = await node.pool.forward(node.target, to, OPTIONS)
  assert.equal(await answerTo(fresh, 'b'), 'B')
  assert.equal(node.server.accepted(), 2)
  fresh.destroy()
})

test('a stream ends when its time is over', async () => {
  const clock = new FakeClock()
  await using node = await startTestNode({ clock })
  await using echo = await startEcho()
  const to = { host: '127.0.0.1', port: echo.port }
  const stream = await node.pool.forward(node.target, to, { ...OPTIONS, lifetimeMilliseconds: 5000 })
  assert.equal(await answerTo(stream, 'a'), 'A')
  clock.advance(5000)
  await once(stream, 'close')
  await eventually(() => echo.sockets.size === 0)
})

test('a port on which nothing listens refuses the stream, and the connection stays', async () => {
  await using node = await startTestNode()
  const { port } = await startEcho().then(async (echo) => {
    await echo[Symbol.asyncDispose]()
    return echo
  })
  const refused = node.pool.forward(node.target, { host: '127.0.0.1', port }, OPTIONS)
  await assert.rejects(refused, (error) => error instanceof ForwardRefused)
  assert.equal((await node.pool.run(node.target, run('true'), OPTIONS)).exitCode, 0)
  assert.equal(node.server.accepted(), 1)
})

test('a stream breaks with the connection of the Node, and the next one opens a new connection', async () => {
  await using node = await startTestNode()
  await using echo = await startEcho()
  const to = { host: '127.0.0.1', port: echo.port }
  const stream = await node.pool.forward(node.target, to, OPTIONS)
  assert.equal(await answerTo(stream, 'a'), 'A')
  const closed = once(stream, 'close')
  node.server.cutConnections()
  await closed
  await eventually(() => echo.sockets.size === 0)
  const fresh = await node.pool.forward(node.target, to, OPTIONS)
  assert.equal(await answerTo(fresh, 'b'), 'B')
  fresh.destroy()
})

test('a Node that does not answer, a cancelled wish and an ended pool are failures of the connection', async () => {
  await using node = await startTestNode({ connectTimeoutMilliseconds: 500 })
  const to = { host: '127.0.0.1', port: 9 }
  const kind = (expected: string) => (error: unknown) =>
    error instanceof SshFailure && error.kind === expected
  await assert.rejects(
    node.pool.forward({ ...node.target, fingerprint: `SHA256:${'B'.repeat(43)}` }, to, OPTIONS),
    kind('host_key_changed'),
  )
  const cancelled = { ...OPTIONS, signal: AbortSignal.abort() }
  await assert.rejects(node.pool.forward(node.target, to, cancelled), kind('cancelled'))
  await node.pool[Symbol.asyncDispose]()
  await assert.rejects(node.pool.forward(node.target, to, OPTIONS), kind('cancelled'))
})

test('a stream that is destroyed with unread bytes is closed, and so is one whose connection is lost', async () => {
  await using node = await startTestNode()
  await using talker = await startEcho()
  const to = { host: '127.0.0.1', port: talker.port }
  for (const end of ['destroy', 'cut'] as const) {
    const stream = await node.pool.forward(node.target, to, OPTIONS)
    stream.write('unread')
    await eventually(() => stream.readableLength > 0)
    const closed = once(stream, 'close')
    if (end === 'cut') {
      node.pool.forget(node.target.nodeId)
      await eventually(() => node.server.connections() === 0)
    }
    stream.destroy()
    await closed
  }
})
