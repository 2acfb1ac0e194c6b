import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { run } from '@fleet/shell'
import { startTestNode } from '@fleet/testing'
import { startWebsocket } from '@fleet/websocket'
import { pino } from 'pino'
import { WebSocket } from 'ws'
import { startGitServer } from '../../apps/embedded/src/git/server.ts'
import { frame } from '../../apps/node-dns/src/frames.ts'
import { echo, queryFor, startWorld } from '../../apps/node-dns/src/world.test.ts'
import { ADDRESS, startTestGateway, type TestGateway } from '../api/harness.ts'
import { APP, startPusherWorld } from '../pusher/harness.ts'
import { chunkedBytes, floodedHead, rpcBody } from './bodies.ts'
import { Chance } from './chance.ts'
import { http1Bytes } from './http-request.ts'
import { http2Bytes } from './http2-frames.ts'
import { endlessHeaders, http2Storm, rapidResets } from './http2-storm.ts'
import { type Destination, inParallel, sendDatagrams, sendOver } from './sender.ts'
import { webSocketBytes } from './websocket-frames.ts'

const SEED = 20_261_122
const WIDTH = 48
const REQUESTS_PER_SESSION = 20

/** Requests of each listener, 10,000 in all. */
const REQUESTS = {
  gatewayHttp1: 1200,
  gatewayHttp2: 2000,
  websocket: 3000,
  websocketOverTls: 600,
  git: 200,
  nodeSsh: 500,
  dnsOverUdp: 1500,
  dnsOverTcp: 1000,
} as const

/** Of what comes after a connection was made, or in its head. */
const STORMS = { http2: 400, resets: 5, chunks: 400, heads: 60, rpc: 300, webSocket: 2000 } as const

/** Exceptions that no handler caught; the runner of the tests would count them for whatever test runs. */
function collectUncaught(context: TestContext): readonly unknown[] {
  const uncaught: unknown[] = []
  const note = (error: unknown): void => void uncaught.push(error)
  process.on('uncaughtExceptionMonitor', note)
  context.after(() => process.off('uncaughtExceptionMonitor', note))
  return uncaught
}

const send = (count: number, to: Destination, bytesOf: (chance: Chance) => Buffer): Promise<void> =>
  inParallel(count, WIDTH, (index) => sendOver(to, bytesOf(new Chance(SEED + index))))

const statusOf = async (fleet: TestGateway, path: string): Promise<number> =>
  (await fleet.ask('GET', path)).status

test('no request of a client ends the gateway', async (context) => {
  const uncaught = collectUncaught(context)
  await using fleet = await startTestGateway()
  const port = Number(new URL(fleet.url).port)
  const half = REQUESTS.gatewayHttp1 / 2
  await send(half, { port, tls: 'http/1.1' }, http1Bytes)
  await send(half, { port, tls: 'http/1.1', from: ADDRESS.unknown }, http1Bytes)
  const sessions = REQUESTS.gatewayHttp2 / REQUESTS_PER_SESSION
  await send(sessions, { port, tls: 'h2' }, (chance) => http2Bytes(chance, REQUESTS_PER_SESSION))
  assert.equal(await statusOf(fleet, '/healthz'), 200)
  assert.deepEqual(uncaught, [])
})

test('no frames, chunks or heads of a client end the gateway, and others are answered meanwhile', async (context) => {
  const uncaught = collectUncaught(context)
  await using fleet = await startTestGateway()
  const port = Number(new URL(fleet.url).port)
  const known = { port } as const
  await send(STORMS.http2, { ...known, tls: 'h2' }, (chance) => http2Storm(chance, REQUESTS_PER_SESSION))
  await send(STORMS.resets, { ...known, tls: 'h2' }, () => rapidResets(1000))
  assert.equal(await statusOf(fleet, '/healthz'), 200)
  await send(STORMS.resets, { ...known, tls: 'h2' }, () => endlessHeaders(40))
  await send(STORMS.chunks, { ...known, tls: 'http/1.1' }, chunkedBytes)
  await send(STORMS.heads, { ...known, tls: 'http/1.1' }, floodedHead)
  assert.equal(await statusOf(fleet, '/healthz'), 200)
  assert.deepEqual(uncaught, [])
})

test('every body at the MCP endpoints is answered, and none as a fault of the gateway', async (context) => {
  const uncaught = collectUncaught(context)
  await using fleet = await startTestGateway()
  const faults: string[] = []
  await inParallel(STORMS.rpc, 8, async (index) => {
    const chance = new Chance(SEED + index)
    const raw = rpcBody(chance)
    const path = chance.isOneIn(3) ? '/mcp/search' : '/mcp'
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const { status, text } = await fleet.ask('POST', path, { raw, headers })
    if (status >= 500 || text.includes('http.500') || text.includes('-32603'))
      faults.push(`${raw} => ${text}`)
  })
  assert.deepEqual(faults, [])
  assert.deepEqual(uncaught, [])
})

test('no frame of a connected client ends the WebSocket server, and others are answered', async (context) => {
  const uncaught = collectUncaught(context)
  await using world = await startPusherWorld()
  await send(STORMS.webSocket, { port: world.server.port }, webSocketBytes)
  const client = new WebSocket(`ws://127.0.0.1:${world.server.port}/app/${APP.key}?protocol=7`)
  await once(client, 'message')
  client.send('{"event":"pusher:ping","data":{}}')
  assert.match(String((await once(client, 'message'))[0]), /pusher:pong/)
  client.terminate()
  assert.deepEqual(uncaught, [])
})

test('no request of a client ends the WebSocket server', async (context) => {
  const uncaught = collectUncaught(context)
  await using fleet = await startTestGateway()
  const tls = await fleet.gateway.leaf(
    ['ws.fleet'],
    ['127.0.0.1'],
    join(fleet.home, 'tls', 'ws'),
    () => undefined,
  )
  const common = {
    address: '127.0.0.1',
    port: 0,
    apps: [APP],
    clock: systemClock,
    log: pino({ level: 'silent' }),
  }
  const limits = { drainSeconds: 0 }
  const plain = await startWebsocket({ ...common, limits })
  const secure = await startWebsocket({ ...common, limits, tls })
  await send(REQUESTS.websocket, { port: plain.port }, http1Bytes)
  await send(REQUESTS.websocketOverTls, { port: secure.port, tls: 'http/1.1' }, http1Bytes)
  const status = await new Promise((resolve) =>
    get({ host: '127.0.0.1', port: plain.port, path: '/up' }, (answer) =>
      resolve(answer.resume().statusCode),
    ),
  )
  assert.equal(status, 200)
  await Promise.all([plain.stop(), secure.stop()])
  assert.deepEqual(uncaught, [])
})

test('no request of a client ends the embedded Git server', async (context) => {
  const uncaught = collectUncaught(context)
  await using fleet = await startTestGateway()
  const repositories = mkdtempSync(join(tmpdir(), 'fleet-fuzz-'))
  context.after(() => rmSync(repositories, { recursive: true }))
  const { certificate, key } = await fleet.gateway.leaf(
    ['localhost'],
    ['127.0.0.1'],
    join(fleet.home, 'tls', 'git'),
    () => undefined,
  )
  await using git = await startGitServer({ port: 0, repositories, programs: {}, certificate, key })
  const port = Number(new URL(git.url).port)
  await send(REQUESTS.git, { port, tls: 'http/1.1' }, http1Bytes)
  assert.deepEqual(uncaught, [])
})

test('no message of a client ends the SSH server of an embedded Node', async (context) => {
  const uncaught = collectUncaught(context)
  await using node = await startTestNode()
  await send(REQUESTS.nodeSsh, { port: node.server.port }, (chance) =>
    Buffer.concat([
      chance.isOneIn(4) ? chance.bytes(20) : Buffer.from('SSH-2.0-x\r\n'),
      Buffer.from([0, 0, chance.below(3), chance.below(256)]),
      chance.bytes(300),
    ]),
  )
  const answered = await node.pool.run(node.target, run('true'), { timeoutMilliseconds: 10_000 })
  assert.equal(answered.exitCode, 0)
  assert.deepEqual(uncaught, [])
})

test('no message of a client ends the resolver of a Node', async (context) => {
  const uncaught = collectUncaught(context)
  await using world = await startWorld({ outside: echo })
  const udp = Array.from({ length: REQUESTS.dnsOverUdp }, (_, index) => dnsBytes(new Chance(SEED + index)))
  await sendDatagrams(world.port, udp)
  await send(REQUESTS.dnsOverTcp, { port: world.port }, (chance) =>
    chance.isOneIn(10) ? chance.bytes(60) : frame(dnsBytes(chance)),
  )
  assert.equal((await world.ask('gateway.fleet')).answers?.length, 1)
  assert.deepEqual(uncaught, [])
})

/** A question with some bytes changed, or cut off. */
function dnsBytes(chance: Chance): Buffer {
  const bytes = Buffer.from(queryFor('gateway.fleet'))
  for (let change = chance.below(8); change > 0; change -= 1)
    bytes[chance.below(bytes.length)] = chance.below(256)
  return chance.isOneIn(6) ? bytes.subarray(0, chance.below(bytes.length)) : bytes
}
