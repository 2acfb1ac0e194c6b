import assert from 'node:assert/strict'
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
import { startGitServer } from '../../apps/embedded/src/git/server.ts'
import { frame } from '../../apps/node-dns/src/frames.ts'
import { echo, queryFor, startWorld } from '../../apps/node-dns/src/world.test.ts'
import { ADDRESS, startTestGateway, type TestGateway } from '../api/harness.ts'
import { APP } from '../pusher/harness.ts'
import { Chance } from './chance.ts'
import { http1Bytes } from './http-request.ts'
import { http2Bytes } from './http2-frames.ts'
import { type Destination, inParallel, sendDatagrams, sendOver } from './sender.ts'

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

test('no request of a client ends the WebSocket server', async (context) => {
  const uncaught = collectUncaught(context)
  await using fleet = await startTestGateway()
  const tls = await fleet.gateway.leaf(['ws.fleet'], ['127.0.0.1'], join(fleet.home, 'tls', 'ws'))
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
