import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RealtimeServer } from '@fleet/fleet'
import { Secret, systemClock } from '@fleet/kernel'
import { backoff } from '@fleet/pusher-client'
import { countingIds } from '@fleet/testing'
import { freePort } from '@fleet/testing/free-port'
import { pino } from 'pino'
import { Subscriber } from './subscriber.ts'

/** What stands for a server when it cannot even be found. */
type Served = RealtimeServer | Error | undefined

/** Runs one until it has slept so often; answers for how long, what it said of itself, and what was logged. */
async function follow(servers: readonly Served[], times: number) {
  const ending = new AbortController()
  const slept: number[] = []
  const beats: boolean[] = []
  const logged: string[] = []
  let looks = 0
  const subscriber = new Subscriber({
    servers: async () => {
      const current = servers[Math.min(looks++, servers.length - 1)]
      if (current instanceof Error) throw current
      return { current, leaving: [] }
    },
    managedNodes: async () => [],
    rootCertificate: '',
    views: { beat: (isConnected: boolean) => void beats.push(isConnected) } as never, // Nothing else is asked without a connection.
    logs: { channel: () => assert.fail('a channel was joined') },
    clock: {
      ...systemClock,
      sleep: async (milliseconds) => {
        if (slept.push(milliseconds) >= times) ending.abort()
      },
    },
    ids: countingIds(),
    log: pino({ base: null }, { write: (line: string) => void logged.push(line) }),
  })
  await subscriber.run(ending.signal)
  return { slept, beats: new Set(beats), logged }
}

test('while nobody serves the feed it is looked for every 5 seconds, and nothing is logged', async () => {
  assert.deepEqual(await follow([undefined], 3), {
    slept: [5000, 5000, 5000],
    beats: new Set([false]),
    logged: [],
  })
})

const serverAt = (port: number): RealtimeServer => ({
  nodeId: 1,
  nodeName: 'hub',
  address: '127.0.0.1',
  port,
  host: 'reverb.fleet',
  url: `wss://reverb.fleet:${port}`,
  app: { id: 'fleet', key: 'key', secret: new Secret('secret') },
})

test('trouble is logged when it begins and when it becomes another, also one that is no matter of the network', async () => {
  const silent = serverAt(await freePort())
  const broken = new Error('the database is locked')
  for (const [servers, expected] of [
    [[broken, broken, broken], ['the database is locked']],
    [
      [broken, silent, silent, broken],
      ['the database is locked', 'connect', 'the database is locked'],
    ],
  ] as const) {
    const { logged } = await follow(servers, servers.length)
    assert.equal(logged.length, expected.length, logged.join(''))
    for (const [at, line] of logged.entries()) assert.match(line, new RegExp(expected[at] ?? '', 'i'))
  }
})

test('a server that cannot be reached is tried again later and later, with one warning', async () => {
  const server = serverAt(await freePort())
  const ids = countingIds()
  const pauses = [0, 1, 2].map((failures) => backoff(failures, ids))
  const { slept, logged } = await follow([server], 3)
  assert.deepEqual(
    slept,
    pauses.map((pause) => Math.min(pause, 5000)),
  )
  assert.equal(logged.length, 1)
  assert.match(logged[0] ?? '', /the agents of Nodes cannot be followed/)
})
