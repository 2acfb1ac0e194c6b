import assert from 'node:assert/strict'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { openTestStore } from '@fleet/testing'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
before(async () => void (fleet = await startTestGateway()))
after(() => fleet[Symbol.asyncDispose]())

const root = () => fleet.ask('GET', '/api/v1/ca/root', { from: 'unknown' })

test('a root certificate that is gone or broken is unavailable, and back as soon as it can be read [GW-053]', async () => {
  const { caFile } = fleet.gateway
  const text = readFileSync(caFile, 'utf8')
  assert.equal((await root()).json.data.root_ca.trim(), text.trim())
  renameSync(caFile, `${caFile}.away`)
  assert.deepEqual([(await root()).status, (await root()).json.error.code], [503, 'ca.unavailable'])
  writeFileSync(caFile, 'no certificate')
  assert.deepEqual([(await root()).status, (await root()).json.error.code], [503, 'ca.unavailable'])
  renameSync(`${caFile}.away`, caFile)
  assert.equal((await root()).status, 200)
})

test('without its store the gateway says that it is degraded, shows its root certificate, and answers everybody else', async () => {
  let isAway = false
  const reached = <T extends object>(db: T): T =>
    new Proxy(db, {
      get(target, key) {
        if (isAway) throw new Error('no database')
        const value: unknown = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  const store = await openTestStore()
  await using world = await startTestGateway({
    store: {
      ...store,
      db: reached(store.db),
      relaxed: reached(store.relaxed),
      answers: async () => !isAway,
    },
  })
  const statusOf = async () => {
    const { status, json } = await world.ask('GET', '/api/v1/gateway/status', { from: 'unknown' })
    return [status, json.data?.status]
  }
  assert.deepEqual(await statusOf(), [200, 'ready'])
  isAway = true
  assert.deepEqual(await statusOf(), [200, 'degraded'])
  assert.equal((await world.ask('GET', '/api/v1/ca/root', { from: 'unknown' })).status, 200)
  const { status, json } = await world.ask('GET', '/api/v1/nodes')
  assert.deepEqual([status, json.error.code], [500, 'http.500'])
  isAway = false
  assert.deepEqual(await statusOf(), [200, 'ready'])
  assert.equal((await world.ask('GET', '/api/v1/nodes')).status, 200)
})
