import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { connect } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@fleet/testing/free-port'
import { newFolder, NO_CADDY, type RealCaddy, selfSigned, startCaddy } from '#/web-server/caddy.test.ts'
import type { Site } from '#/web-server/site.ts'

const DOMAIN = 'shop.test'
const UNAVAILABLE = 'Route unavailable'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** An Instance behind the Router, which counts what comes. */
interface Target extends AsyncDisposable {
  readonly name: string
  readonly port: number
  readonly asked: string[]
  answer: Answer
  stop(): Promise<void>
  start(): Promise<void>
}

async function startTarget(name: string, leaf: string): Promise<Target> {
  const pem = readFileSync(leaf)
  const asked: string[] = []
  const open = async (port: number) => {
    const server = createServer({ key: pem, cert: pem }, (request, response) => {
      asked.push(request.method ?? '')
      target.answer(request, response)
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server = await open(0)
  const { port } = server.address() as AddressInfo // A listening TCP server has one.
  const target: Target = {
    name,
    port,
    asked,
    answer: (_request, response) => void response.end(name),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
    start: async () => void (server = await open(port)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return target
}

interface Pool extends AsyncDisposable {
  readonly targets: readonly Target[]
  readonly caddy: RealCaddy
  /** Serves these from now on. */
  publish(targets: readonly Target[]): void
}

async function startPool(count: number, names: readonly string[] = [DOMAIN]): Promise<Pool> {
  const folder = newFolder()
  const { leaf, root } = selfSigned(folder, DOMAIN)
  const served = names.includes(DOMAIN) ? leaf : selfSigned(folder, ...names).leaf
  const port = await freePort()
  const targets: Target[] = []
  for (let index = 0; index < count; index += 1) targets.push(await startTarget(`target-${index}`, served))
  const siteOf = (behind: readonly Target[]): Site => ({
    source: 'router',
    scope: 'route-3-router',
    domain: DOMAIN,
    listener: { kind: 'tcp', addresses: ['127.0.0.1'], port },
    tls: { kind: 'leaf', file: leaf },
    handler: {
      kind: 'pool',
      targets: behind.map((one) => ({ kind: 'tcp', address: '127.0.0.1', port: one.port })),
    },
  })
  const caddy = await startCaddy({ folder, domain: DOMAIN, port, sites: [siteOf(targets)], root })
  return {
    targets,
    caddy,
    publish: (behind) => caddy.publish([siteOf(behind)]),
    [Symbol.asyncDispose]: async () => {
      for (const target of targets) await target[Symbol.asyncDispose]()
      await caddy[Symbol.asyncDispose]()
    },
  }
}

const counts = ({ targets }: Pool): readonly number[] => targets.map(({ asked }) => asked.length)

/** Nothing that a visitor gets names a server behind the Router. */
function assertSilent({ targets }: Pool, seen: Awaited<ReturnType<RealCaddy['visit']>>): void {
  const all = `${JSON.stringify(seen.headers)} ${seen.text}`
  for (const { port } of targets) assert.doesNotMatch(all, new RegExp(`127\\.0\\.0\\.1|:${port}`))
}

const options = { skip: NO_CADDY }

test(
  'a Router gives its targets requests in turn, and an error of the application takes none of them out [RTE-125, RTE-128]',
  options,
  async () => {
    await using pool = await startPool(3)
    for (let index = 0; index < 9; index += 1) assert.equal((await pool.caddy.visit()).status, 200)
    assert.deepEqual(counts(pool), [3, 3, 3])
    const [first] = pool.targets
    if (first) first.answer = (_request, response) => void response.writeHead(500).end('broken')
    const statuses: (number | undefined)[] = []
    for (let index = 0; index < 9; index += 1) statuses.push((await pool.caddy.visit()).status)
    assert.deepEqual(counts(pool), [6, 6, 6])
    assert.equal(statuses.filter((status) => status === 500).length, 3)
  },
)

for (const method of ['POST', 'GET'])
  test(`a ${method} whose target fails in the middle is sent to no other [RTE-126]`, options, async () => {
    await using pool = await startPool(2)
    for (const target of pool.targets) target.answer = ({ socket }) => void socket.destroy()
    const seen = await pool.caddy.visit({ method, ...(method === 'POST' ? { body: 'an order' } : {}) })
    assert.deepEqual([seen.status, seen.text], [503, UNAVAILABLE])
    assertSilent(pool, seen)
    assert.equal(
      counts(pool).reduce((sum, count) => sum + count, 0),
      1,
    )
  })

test(
  'a target that refuses connections is left out for ten seconds, and then tried again [RTE-127, LIM-016]',
  options,
  async () => {
    // A busy machine may be late for the end of the ten seconds; then it has seen nothing, and looks again.
    for (let tries = 1; !(await seesTheEnd()); tries += 1)
      assert.ok(tries < 5, 'the machine is never in time')
  },
)

/** Whether what is asked right before the end of the ten seconds was answered before it. */
async function seesTheEnd(): Promise<boolean> {
  await using pool = await startPool(2)
  const [first, second] = pool.targets
  if (!first || !second) throw new Error('two targets')
  await first.stop()
  const began = performance.now()
  const failed: (number | undefined)[] = []
  for (let index = 0; index < 8; index += 1) failed.push((await pool.caddy.visit()).status)
  const ended = performance.now()
  assert.equal(failed.filter((status) => status === 503).length, 1)
  assert.equal(second.asked.length, 7)
  await first.start()
  await pause(8500 - (performance.now() - began))
  const texts: string[] = []
  for (let index = 0; index < 4; index += 1) texts.push((await pool.caddy.visit()).text)
  if (performance.now() - began > 9900) return false
  assert.deepEqual([texts, first.asked.length], [Array.from({ length: 4 }, () => 'target-1'), 0])
  await pause(10_500 - (performance.now() - ended))
  for (let index = 0; index < 4; index += 1) await pool.caddy.visit()
  assert.equal(first.asked.length, 2)
  return true
}

/** Sends a request as it is, byte by byte, and waits for the beginning of an answer, or for nothing. */
async function sendRaw({ port }: RealCaddy, text: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername: DOMAIN, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.on('error', () => undefined)
  socket.write(text)
  const [answer] = await Promise.race([once(socket, 'data'), pause(1000, [''])])
  socket.destroy()
  return String(answer)
}

test('a visitor who breaks the body of his own request takes no target out', options, async () => {
  await using pool = await startPool(1)
  const head = `POST / HTTP/1.1\r\nHost: ${DOMAIN}\r\n`
  for (const broken of [
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${head}Content-Length: 100\r\n\r\nhalf`,
    `GET / HTTP/1.1\r\nHost: ${DOMAIN}\r\nContent-Length: 100\r\n\r\nhalf`,
    ...['zz\r\n', '3\r\nabc\r\nzz\r\n', '9\r\nhalf'].map(
      (body) => `GET / HTTP/1.1\r\nHost: ${DOMAIN}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    ),
  ]) {
    await sendRaw(pool.caddy, broken)
    assert.equal((await pool.caddy.visit()).text, 'target-0', broken)
  }
})

test('a target whose certificate is not that of the domain fails as one that refuses', options, async () => {
  await using pool = await startPool(1, ['other.test'])
  const seen = await pool.caddy.visit()
  assert.deepEqual([seen.status, seen.text, counts(pool)], [503, UNAVAILABLE, [0]])
  assertSilent(pool, seen)
})

test(
  'without a target, or with the last one just failed, the Route is unavailable; with all left out the answer is empty; none of them names a target [RTE-129, RTE-130, RTE-131]',
  options,
  async () => {
    await using pool = await startPool(1)
    const alive = await pool.caddy.visit()
    assert.equal(alive.status, 200)
    assertSilent(pool, alive)
    await pool.targets[0]?.stop()
    const failed = await pool.caddy.visit()
    assert.deepEqual([failed.status, failed.text], [503, UNAVAILABLE])
    const leftOut = await pool.caddy.visit()
    assert.deepEqual([leftOut.status, leftOut.text], [503, ''])
    pool.publish([])
    const empty = await pool.caddy.visit()
    assert.deepEqual([empty.status, empty.text], [503, UNAVAILABLE])
    for (const seen of [failed, leftOut, empty]) assertSilent(pool, seen)
  },
)

test(
  'a removed target gets nothing new once the pool is published, and what it still answers delays nothing [RTE-132]',
  options,
  async () => {
    await using pool = await startPool(2)
    const [first, second] = pool.targets
    if (!first || !second) throw new Error('two targets')
    const release = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const slowly: Answer = (_request, response) => {
      response.write('slow ')
      arrived.resolve()
      void release.promise.then(() => response.end('end'))
    }
    first.answer = slowly
    second.answer = slowly
    const long = pool.caddy.visit()
    await arrived.promise
    const [removed, kept] = first.asked.length === 1 ? [first, second] : [second, first]
    kept.answer = (_request, response) => void response.end(kept.name)
    pool.publish([kept])
    for (let index = 0; index < 6; index += 1) assert.equal((await pool.caddy.visit()).text, kept.name)
    assert.equal(removed.asked.length, 1)
    release.resolve()
    assert.deepEqual([(await long).status, (await long).text], [200, 'slow end'])
  },
)
