import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RealtimeServer, RealtimeServers } from '@fleet/fleet'
import { Secret } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import { pino } from 'pino'
import { makeAccessSweep } from './access-sweep.ts'

const serverOf = (name: string, port: number): RealtimeServer => ({
  nodeId: 3,
  nodeName: name,
  address: '10.44.0.3',
  port,
  host: `${name}.fleet`,
  url: `wss://${name}.fleet:${port}`,
  app: { id: 'fleet', key: 'key', secret: new Secret('secret') },
})

test('every server gets the addresses without access, one that does not answer with every run, and is in the log once until it does', async () => {
  const warnings: string[] = []
  const posted: string[] = []
  const world: { servers: RealtimeServers; barred: readonly string[]; isDown: boolean } = {
    servers: { current: serverOf('one', 1), leaving: [serverOf('old', 2)] },
    barred: [],
    isDown: false,
  }
  const sweep = makeAccessSweep({
    realtime: { servers: async () => world.servers, barredAddresses: async () => world.barred },
    poster: {
      post: async ({ host }, path, body) => {
        posted.push(`${host} ${path.replace(/\?.*/, '')} ${body}`)
        if (world.isDown && host === 'one.fleet') throw new Error('down')
      },
      [Symbol.dispose]: () => undefined,
    },
    clock: new FakeClock(),
    log: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) }),
  })
  await sweep()
  assert.deepEqual(posted, [])
  world.barred = ['10.44.0.7']
  const both = ['one', 'old'].map(
    (name) => `${name}.fleet /apps/fleet/addresses/terminate_connections {"addresses":["10.44.0.7"]}`,
  )
  world.isDown = true
  await sweep()
  await sweep()
  assert.deepEqual([posted, warnings.length], [[...both, ...both], 1])
  world.isDown = false
  await sweep()
  world.isDown = true
  await sweep()
  assert.equal(warnings.length, 2)
  world.servers = { current: undefined, leaving: [] }
  posted.length = 0
  await sweep()
  assert.deepEqual(posted, [])
})
