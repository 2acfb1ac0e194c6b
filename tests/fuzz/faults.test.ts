import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { connect as connectTcp, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type Clock, systemClock } from '@fleet/kernel'
import { ensureLeaf, ensureRoot } from '@fleet/pki'
import { openConnection } from '@fleet/pusher-client'
import { WebSocket } from 'ws'
import { startGitServer } from '../../apps/embedded/src/git/server.ts'
import { secureServer, type ServerIdentity } from '../../apps/gateway/src/http/server.ts'
import { frame } from '../../apps/node-dns/src/frames.ts'
import { InHand } from '../../apps/node-dns/src/in-hand.ts'
import { answerTcp } from '../../apps/node-dns/src/tcp-front.ts'
import { answerUdp } from '../../apps/node-dns/src/udp-front.ts'
import { serveClient } from '../../packages/ssh/src/server/client-connection.ts'
import { APP, startPusherWorld } from '../pusher/harness.ts'

async function identityOf(context: TestContext): Promise<ServerIdentity> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-faults-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const root = await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'Test root' })
  const names = { names: ['localhost'], addresses: ['127.0.0.1'] }
  const leaf = await ensureLeaf({ directory: join(folder, 'tls'), root, clock: systemClock, ...names })
  return { certificate: leaf.certificate, key: leaf.key.reveal() }
}

/** Resolves when the other side has ended the connection, whatever it sent before. */
async function endOf(socket: EventEmitter & { resume?: () => unknown }): Promise<void> {
  socket.on('error', () => undefined)
  socket.resume?.()
  await once(socket, 'close')
}

const fault = (): never => {
  throw new Error('fault')
}

test('a fault in the answer of the gateway ends that connection alone', async (context) => {
  const faults: unknown[] = []
  const server = secureServer(
    await identityOf(context),
    ({ url }, response) => (url === '/fault' ? fault() : void response.end('fine')),
    { onFault: (error) => faults.push(error) },
  )
  context.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number } // A TCP server has this form of address.
  const ask = (path: string) =>
    get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false })
  await assert.rejects(once(ask('/fault'), 'response'), { code: 'ECONNRESET' })
  const [answer] = await once(ask('/'), 'response')
  answer.resume()
  server.emit('error', new Error('accept EMFILE'))
  assert.equal(faults.length, 2)
})

test('a fault with one client of the WebSocket server ends that client alone', async () => {
  let isBroken = false
  const clock: Clock = { ...systemClock, ticks: () => (isBroken ? fault() : systemClock.ticks()) }
  await using world = await startPusherWorld({ clock })
  const open = (): WebSocket => new WebSocket(`ws://127.0.0.1:${world.server.port}/app/${APP.key}?protocol=7`)
  const [speaking, silent] = [open(), open()]
  await Promise.all([once(speaking, 'message'), once(silent, 'message')])
  isBroken = true
  speaking.send('{"event":"pusher:ping","data":{}}')
  await endOf(speaking)
  await endOf(open())
  isBroken = false
  silent.send('{"event":"pusher:ping","data":{}}')
  assert.match(String((await once(silent, 'message'))[0]), /pusher:pong/)
  silent.terminate()
})

test('a fault in the answer of the embedded Git server ends that connection alone', async (context) => {
  // No program can be started with such a variable.
  const programs = { PATH: 'a\0b' }
  const identity = await identityOf(context)
  await using git = await startGitServer({ port: 0, repositories: '/nowhere', programs, ...identity })
  const ask = (path: string) => get(git.url + path, { rejectUnauthorized: false, agent: false })
  const broken = ask('/shop.git/info/refs?service=git-upload-pack')
  await assert.rejects(once(broken, 'response'), { code: 'ECONNRESET' })
  const [answer] = await once(ask('/'), 'response')
  assert.equal(answer.resume().statusCode, 403)
})

test('a fault with one SSH client of an embedded Node ends its connection', () => {
  let ended = 0
  const client = Object.assign(new EventEmitter(), { end: () => void (ended += 1) })
  serveClient(client as never, undefined as never) // Faults wherever it looks at its context.
  client.emit('authentication', { method: 'publickey' })
  client.emit('session', fault)
  assert.equal(ended, 2)
})

test('a fault with one question to the resolver leaves the others their answers', async (context) => {
  const respond = (message: Buffer): Buffer => (message.length === 1 ? fault() : message)
  const deps = { respond, forward: fault, inHand: new InHand() }
  const udp = Object.assign(new EventEmitter(), { send: () => undefined })
  answerUdp(udp as never, deps) // The part of a socket that it uses.
  udp.emit('message', Buffer.of(1), { address: '127.0.0.1', port: 1 })
  const server = createServer()
  const end = answerTcp(server, deps)
  context.after(end)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number } // A TCP server has this form of address.
  const broken = connectTcp(port, '127.0.0.1')
  broken.write(frame(Buffer.of(1)))
  await endOf(broken)
  const other = connectTcp(port, '127.0.0.1')
  other.write(frame(Buffer.of(1, 2)))
  assert.deepEqual((await once(other, 'data'))[0], frame(Buffer.of(1, 2)))
  other.destroy()
})

test('work of the resolver that rejects is over, and nobody is notified', async () => {
  const inHand = new InHand()
  inHand.add(Promise.reject(new Error('fault')))
  await inHand.idle()
})

test('a listener that throws ends its own connection to the feed', async () => {
  await using world = await startPusherWorld()
  const deps = { clock: systemClock, signal: new AbortController().signal }
  const connection = await openConnection({ url: `ws://127.0.0.1:${world.server.port}`, key: APP.key }, deps)
  connection.onMessage(fault)
  await connection.subscribe('orders')
  await world.publisher.trigger('orders', 'created', {})
  await connection.closed
})
