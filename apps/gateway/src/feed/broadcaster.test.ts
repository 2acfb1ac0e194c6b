import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeedEvent, RealtimeServer, RealtimeServers } from '@fleet/fleet'
import { nextTurn, Secret } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import { pino } from 'pino'
import * as z from 'zod'
import { Broadcaster } from './broadcaster.ts'
import { NoConnection } from './post.ts'

const serverOf = (name: string): RealtimeServer => ({
  nodeId: 3,
  nodeName: name,
  address: '10.44.0.3',
  port: 8790,
  host: `${name}.fleet`,
  url: `wss://${name}.fleet:8790`,
  app: { id: 'fleet', key: 'key', secret: new Secret('secret') },
})

const eventOf = (type: string, id = 1) =>
  ({ type, id, requestId: 'r-1', data: { id } }) as unknown as FeedEvent // Only names and ids matter here.

function world() {
  const clock = new FakeClock()
  const bodies: string[] = []
  const answer: { servers: RealtimeServers | Promise<RealtimeServers> } = {
    servers: { current: serverOf('one'), leaving: [] },
  }
  const asked: string[] = []
  const bounds: Array<readonly [host: string, connectMilliseconds: number, totalMilliseconds: number]> = []
  let lookups = 0
  const broadcaster = new Broadcaster({
    servers: async () => {
      lookups += 1
      return answer.servers
    },
    poster: {
      post: async ({ host }, _path, body, { connectMilliseconds, totalMilliseconds }) => {
        asked.push(host)
        bodies.push(body)
        bounds.push([host, connectMilliseconds, totalMilliseconds])
      },
      [Symbol.dispose]: () => undefined,
    },
    clock,
    log: pino({ enabled: false }),
    run: 'run',
  })
  return { clock, answer, asked, bodies, bounds, broadcaster, lookups: () => lookups }
}

test('the servers are looked up once for all events of a request, and again a second later [LIM-007]', async () => {
  const { clock, broadcaster, lookups } = world()
  assert.equal(await broadcaster.isServed(), true)
  await broadcaster.publish([eventOf('project.updated'), eventOf('project.updated')])
  await broadcaster.publish([eventOf('instance.created')])
  assert.equal(lookups(), 1)
  clock.advance(999)
  await broadcaster.publish([eventOf('project.updated')])
  assert.equal(lookups(), 1)
  clock.advance(1)
  await broadcaster.publish([eventOf('project.updated')])
  assert.equal(lookups(), 2)
})

test('events whose servers could not be looked up leave a gap in the numbers, and the next ones ask again', async () => {
  const { answer, bodies, broadcaster } = world()
  const sequences = () =>
    bodies.flatMap((body) => [...body.matchAll(/\\"sequence\\":(\d+)/g)].map(([, number]) => Number(number)))
  await broadcaster.publish([eventOf('project.updated')])
  const { servers } = answer
  answer.servers = Promise.reject(new Error('the store does not answer'))
  await assert.rejects(broadcaster.publish([eventOf('node.updated'), eventOf('project.updated')]))
  answer.servers = servers
  await broadcaster.publish([eventOf('project.updated')])
  assert.deepEqual(sequences(), [1, 4])
})

test('a server that the role leaves gets 0.3 s to connect and 0.5 s in all, the current one its own time [LIM-005]', async () => {
  const { answer, bounds, broadcaster } = world()
  answer.servers = { current: serverOf('two'), leaving: [serverOf('one')] }
  await broadcaster.publish([eventOf('project.updated')])
  assert.deepEqual(bounds, [
    ['two.fleet', 2000, 5000],
    ['one.fleet', 300, 500],
  ])
})

test('an event of a Node is sent to the server that its change made the current one', async () => {
  const { answer, asked, broadcaster } = world()
  await broadcaster.publish([eventOf('project.updated')])
  answer.servers = { current: serverOf('two'), leaving: [serverOf('one')] }
  await broadcaster.publish([eventOf('project.updated'), eventOf('node.updated')])
  assert.deepEqual(asked.toSorted(), ['one.fleet', 'one.fleet', 'two.fleet'])
})

test('without a server nothing is sent, and the feed says that nobody serves it', async () => {
  const { answer, asked, broadcaster } = world()
  answer.servers = { current: undefined, leaving: [] }
  assert.equal(await broadcaster.isServed(), false)
  await broadcaster.publish([eventOf('project.updated')])
  assert.deepEqual(asked, [])
})

/** Servers that answer when the test says so, and the ids of the events of each request to them. */
function slowServers(servers: RealtimeServers) {
  const clock = new FakeClock()
  const requests: Array<{
    readonly host: string
    readonly ids: readonly number[]
    readonly answer: PromiseWithResolvers<void>
  }> = []
  const warnings: string[] = []
  const lookups: Array<PromiseWithResolvers<RealtimeServers>> = []
  const ready = Promise.resolve(servers)
  const world = { isLookupSlow: false }
  const broadcaster = new Broadcaster({
    servers: () => {
      if (!world.isLookupSlow) return ready
      const lookup = Promise.withResolvers<RealtimeServers>()
      lookups.push(lookup)
      return lookup.promise
    },
    poster: {
      post: ({ host }, _path, body) => {
        const answer = Promise.withResolvers<void>()
        requests.push({ host, ids: idsOf(body), answer })
        return answer.promise
      },
      [Symbol.dispose]: () => undefined,
    },
    clock,
    log: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) }),
    run: 'run',
  })
  const publish = (...ids: readonly number[]) =>
    broadcaster.publish(ids.map((id) => eventOf('project.updated', id)))
  return Object.assign(world, { clock, publish, requests, warnings, lookups, servers })
}

const batch = z.object({ batch: z.array(z.object({ data: z.string() })) })
const envelope = z.object({ id: z.number() })
const idsOf = (body: string): readonly number[] =>
  batch.parse(JSON.parse(body)).batch.map(({ data }) => envelope.parse(JSON.parse(data)).id)

test('events go to a server one request at a time: what comes meanwhile follows in one, in the order of the calls [EV-012]', async () => {
  const { publish, requests } = slowServers({ current: serverOf('one'), leaving: [serverOf('old')] })
  const ended: number[] = []
  const send = (...ids: readonly number[]) => publish(...ids).then(() => ended.push(ids[0] ?? 0))
  const to = (host: string) => requests.filter((request) => request.host === `${host}.fleet`)
  const all = [send(1), send(2), send(3, 4, 5, 6, 7, 8, 9), send(10, 11, 12), send(13)]
  await nextTurn()
  assert.deepEqual([to('one').map(({ ids }) => ids), to('old').map(({ ids }) => ids)], [[[1]], [[1]]])
  // One server holds up nobody who waits for another.
  to('old')[0]?.answer.resolve()
  await nextTurn()
  assert.deepEqual(
    to('old').map(({ ids }) => ids),
    [[1], [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  )
  to('old')[1]?.answer.resolve()
  await nextTurn()
  to('old')[2]?.answer.resolve()
  to('one')[0]?.answer.resolve()
  await nextTurn()
  assert.deepEqual(
    to('one').map(({ ids }) => ids),
    [[1], [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  )
  assert.deepEqual(ended, [1], 'a request waits until its own events are taken')
  to('one')[1]?.answer.resolve()
  await nextTurn()
  assert.deepEqual(to('one').at(-1)?.ids, [12, 13])
  assert.deepEqual(ended, [1, 2, 3])
  to('one')[2]?.answer.resolve()
  await Promise.all(all)
  assert.deepEqual(ended, [1, 2, 3, 10, 13])
})

test('a call whose servers are looked up later is not sent before an earlier one', async () => {
  const world = slowServers({ current: serverOf('one'), leaving: [] })
  const { clock, publish, requests, lookups, servers } = world
  world.isLookupSlow = true
  const first = publish(1)
  await nextTurn()
  clock.advance(1000)
  world.isLookupSlow = false
  const second = publish(2)
  await nextTurn()
  assert.equal(requests.length, 0)
  lookups[0]?.resolve(servers)
  await nextTurn()
  assert.deepEqual(
    requests.map(({ ids }) => ids),
    [[1]],
  )
  requests[0]?.answer.resolve()
  await nextTurn()
  requests[1]?.answer.resolve()
  await Promise.all([first, second])
  assert.deepEqual(
    requests.map(({ ids }) => ids),
    [[1], [2]],
  )
})

test('a lookup that fails fails its own request and none of those behind it', async () => {
  const world = slowServers({ current: serverOf('one'), leaving: [] })
  world.isLookupSlow = true
  const first = world.publish(1)
  await nextTurn()
  world.clock.advance(1000)
  world.isLookupSlow = false
  const second = world.publish(2)
  world.lookups[0]?.reject(new Error('no database'))
  await assert.rejects(first, /no database/)
  await nextTurn()
  world.requests[0]?.answer.resolve()
  await second
})

test('whoever waits behind a server that does not answer waits for its own 5 s, and is not sent afterwards [LIM-002, LIM-003]', async () => {
  const { clock, publish, requests, warnings } = slowServers({ current: serverOf('one'), leaving: [] })
  const ended: number[] = []
  const send = (id: number) => publish(id).then(() => ended.push(id))
  const first = send(1)
  await nextTurn()
  clock.advance(2000)
  const second = send(2)
  await nextTurn()
  clock.advance(2999)
  await nextTurn()
  assert.deepEqual(ended, [])
  clock.advance(1)
  await first
  clock.advance(2000)
  await second
  assert.deepEqual([ended, warnings.length], [[1, 2], 2])
  const third = send(3)
  requests[0]?.answer.reject(new Error('no answer in time'))
  await nextTurn()
  assert.deepEqual(
    requests.map(({ ids }) => ids),
    [[1], [3]],
  )
  requests[1]?.answer.resolve()
  await third
})

test('what was refused does not fail what waits behind it; no connection fails all that wait for it [LIM-001, LIM-003]', async () => {
  const { publish, requests, warnings } = slowServers({ current: serverOf('one'), leaving: [] })
  const all = [publish(1), publish(2)]
  await nextTurn()
  requests[0]?.answer.reject(new Error('the server answered with status 500'))
  await nextTurn()
  assert.deepEqual([requests.map(({ ids }) => ids), warnings.length], [[[1], [2]], 1])
  all.push(publish(3), publish(4))
  await nextTurn()
  requests[1]?.answer.reject(new NoConnection('no connection in time'))
  await Promise.all(all)
  assert.deepEqual([requests.length, warnings.length], [2, 4])
})

test('after a failure of a server that the role leaves nothing that waits for it is sent [LIM-006]', async () => {
  const { publish, requests, warnings } = slowServers({ current: undefined, leaving: [serverOf('old')] })
  const all = [publish(1), publish(2), publish(3)]
  await nextTurn()
  requests[0]?.answer.reject(new Error('no answer in time'))
  await Promise.all(all)
  await publish(4)
  assert.deepEqual([requests.length, warnings.length], [1, 3])
})
