import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeedEvent, RealtimeServer, RealtimeServers } from '@fleet/fleet'
import { Secret } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import { pino } from 'pino'
import { Broadcaster } from './broadcaster.ts'

const serverOf = (name: string): RealtimeServer => ({
  nodeId: 3,
  nodeName: name,
  address: '10.44.0.3',
  port: 8790,
  host: `${name}.fleet`,
  url: `wss://${name}.fleet:8790`,
  app: { id: 'fleet', key: 'key', secret: new Secret('secret') },
})

// Only names and ids of the events matter here.
const eventOf = (type: string) => ({ type, id: 1, requestId: 'r-1', data: { id: 1 } }) as unknown as FeedEvent

function world() {
  const clock = new FakeClock()
  const answer: { servers: RealtimeServers } = { servers: { current: serverOf('one'), leaving: [] } }
  const asked: string[] = []
  const bounds: Array<readonly [host: string, connectMilliseconds: number, totalMilliseconds: number]> = []
  let lookups = 0
  const broadcaster = new Broadcaster({
    servers: async () => {
      lookups += 1
      return answer.servers
    },
    poster: {
      post: async ({ host }, _path, _body, { connectMilliseconds, totalMilliseconds }) => {
        asked.push(host)
        bounds.push([host, connectMilliseconds, totalMilliseconds])
      },
      [Symbol.dispose]: () => undefined,
    },
    clock,
    log: pino({ enabled: false }),
    run: 'run',
  })
  return { clock, answer, asked, bounds, broadcaster, lookups: () => lookups }
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
