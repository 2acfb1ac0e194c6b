import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { RealtimeServer, RealtimeServers } from '@fleet/fleet'
import { Broadcaster, makePoster } from '@fleet/gateway/feed'
import { type Clock, systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf, type Root } from '@fleet/pki'
import type { TlsIdentity } from '@fleet/websocket'
import { pino } from 'pino'
import { APP, startPusherWorld } from './harness.ts'
import { listenOverTls } from './tls-listener.ts'

const HOST = 'reverb.fleet'
let directory = ''
let root: Root
let tls: TlsIdentity

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-broadcast-'))
  root = await ensureRoot({ directory: join(directory, 'ca'), clock: systemClock, name: 'Fleet root' })
  tls = await leafFor(root, HOST)
})
after(() => rmSync(directory, { recursive: true }))

const leafFor = async (authority: Root, name: string): Promise<TlsIdentity> => {
  const leaf = await issueLeaf(authority, { clock: systemClock, names: [name], addresses: [] })
  return { certificate: leaf.certificate, key: leaf.key.reveal() }
}

const listen = (port: number) => listenOverTls(port, { authority: root.certificate, name: HOST })

const serverAt = (port: number): RealtimeServer => ({
  nodeId: 1,
  nodeName: 'gateway',
  address: '127.0.0.1',
  port,
  host: HOST,
  url: `wss://${HOST}:${port}`,
  app: APP,
})

interface Broadcasting extends AsyncDisposable {
  readonly feed: Broadcaster
  readonly warnings: string[]
  servers: RealtimeServers
}

function broadcasting(servers: RealtimeServers, clock: Clock = systemClock): Broadcasting {
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
  const poster = makePoster(root.certificate, clock)
  const world: Broadcasting = {
    feed: new Broadcaster({
      servers: async () => world.servers,
      poster,
      clock,
      log,
      run: 'run',
    }),
    warnings,
    servers,
    [Symbol.asyncDispose]: async () => poster[Symbol.dispose](),
  }
  return world
}

const deleted = (id: number) => ({ type: 'node.deleted', id, data: { id, name: `n${id}` } }) as const
const idsOf = (events: readonly unknown[]): readonly unknown[] =>
  events.map((event) => (event as { id: number }).id) // Every envelope has one.

test('events arrive in order, also more than one batch holds, each with the next number [EV-001, EV-002, EV-011]', async () => {
  await using world = await startPusherWorld({ tls })
  await using sender = broadcasting({ current: serverAt(world.server.port), leaving: [] })
  await using listener = await listen(world.server.port)
  const numbers = Array.from({ length: 23 }, (_, index) => index + 1)
  await sender.feed.publish(numbers.map(deleted))
  await listener.until(23)
  const heard = listener.events.map((event) => {
    const { at: _at, ...rest } = event as Record<string, unknown> // Every envelope is an object.
    return rest
  })
  assert.deepEqual(
    heard,
    numbers.map((id) => ({ ...deleted(id), sequence: id, run: 'run' })),
  )
  assert.deepEqual(sender.warnings, [])
})

test('a server of another authority, or of another name, gets nothing [ACC-009, ACC-010]', async () => {
  const foreign = await ensureRoot({
    directory: join(directory, 'foreign'),
    clock: systemClock,
    name: 'Other',
  })
  for (const identity of [await leafFor(foreign, HOST), await leafFor(root, 'other.fleet')]) {
    await using world = await startPusherWorld({ tls: identity })
    await using sender = broadcasting({ current: serverAt(world.server.port), leaving: [] })
    await sender.feed.publish([deleted(1)])
    assert.equal(sender.warnings.length, 1)
  }
})

test('a server that refuses the time of the gateway is in the log with how far their clocks are apart', async () => {
  for (const [seconds, apart] of [
    [-720, /its clock is 7(19|20|21) s ahead of that of the gateway/],
    [720, /its clock is 7(19|20|21) s behind that of the gateway/],
  ] as const) {
    const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + seconds * 1000) }
    await using world = await startPusherWorld({ tls })
    await using sender = broadcasting({ current: serverAt(world.server.port), leaving: [] }, clock)
    await sender.feed.publish([deleted(1)])
    assert.match(sender.warnings.join(), apart)
  }
})

test('a server that refuses or hangs costs each request its bound and a warning [LIM-001, LIM-003]', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo // It listens on an address and a port.
  for (const [at, least, most] of [
    [port, 1900, 3800],
    [1, 0, 1000],
  ] as const) {
    await using sender = broadcasting({ current: serverAt(at), leaving: [] })
    const start = performance.now()
    await Promise.all([sender.feed.publish([deleted(1)]), sender.feed.publish([deleted(2)])])
    const took = performance.now() - start
    assert.ok(took >= least && took < most, `${took} ms`)
    assert.equal(sender.warnings.length, 2)
  }
  silent.close()
})

test('the current server gets the next event after a failed one [LIM-003]', async () => {
  const gone = await startPusherWorld({ tls })
  const { port } = gone.server
  await gone[Symbol.asyncDispose]()
  await using sender = broadcasting({ current: serverAt(port), leaving: [] })
  await sender.feed.publish([deleted(1)])
  assert.equal(sender.warnings.length, 1)
  await using world = await startPusherWorld({ tls, port })
  await using listener = await listen(world.server.port)
  await sender.feed.publish([deleted(2)])
  await listener.until(1)
  assert.deepEqual(idsOf(listener.events), [2])
  assert.equal(sender.warnings.length, 1)
})

test('many requests at once, and as many again, all get their events through without a wait for a limit', async () => {
  await using world = await startPusherWorld({ tls })
  // On this clock no limit ever passes: who waited for one would wait for ever.
  const clock = {
    ...systemClock,
    timer: () => ({ over: new Promise<void>(() => undefined), [Symbol.dispose]: () => undefined }),
  }
  await using sender = broadcasting({ current: serverAt(world.server.port), leaving: [] }, clock)
  await using listener = await listen(world.server.port)
  for (const round of [1, 2]) {
    const ids = Array.from({ length: 100 }, (_, index) => round * 1000 + index)
    await Promise.all(ids.map((id) => sender.feed.publish([deleted(id)])))
  }
  await listener.until(200)
  assert.equal(new Set(idsOf(listener.events)).size, 200)
  assert.deepEqual(sender.warnings, [])
})

test('while the role moves both servers get every event, and a dead old one is tried once [LIM-004, LIM-006]', async () => {
  await using now = await startPusherWorld({ tls })
  await using old = await startPusherWorld({ tls })
  const leaving = serverAt(old.server.port)
  await using sender = broadcasting({ current: serverAt(now.server.port), leaving: [leaving] })
  await using here = await listen(now.server.port)
  await using there = await listen(old.server.port)
  await sender.feed.publish([deleted(1)])
  await Promise.all([here.until(1), there.until(1)])
  await using moved = broadcasting({
    current: serverAt(now.server.port),
    leaving: [{ ...leaving, port: 1 }],
  })
  await moved.feed.publish([deleted(2)])
  await moved.feed.publish([deleted(3)])
  await here.until(3)
  assert.deepEqual(idsOf(here.events), [1, 2, 3])
  assert.equal(moved.warnings.length, 1)
})

test('an event that is longer than a message may be is left out and reported in the log', async () => {
  await using world = await startPusherWorld({ tls })
  await using sender = broadcasting({ current: serverAt(world.server.port), leaving: [] })
  await using listener = await listen(world.server.port)
  await sender.feed.publish([{ ...deleted(1), data: { id: 1, name: 'x'.repeat(10_000) } }, deleted(2)])
  await listener.until(1)
  assert.deepEqual(idsOf(listener.events), [2])
  assert.match(sender.warnings.join(), /too large/)
})
