import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { openShop } from '#/routes/pools/world.test.ts'
import { setTargets } from '#/routes/world.test.ts'

test('the domain of a pool leads to several Instances, so it names none of them [DEP-043]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const caller = { id: world.node.id, name: 'web-1', address: '10.44.0.7', isGateway: true }
  const resolve = world.instances.handlers['instance:resolve']
  const ask = () => resolve({ call: fakeCall({ caller }), input: { domain: 'a.example' } })
  const { data } = await ask()
  assert.partialDeepStrictEqual(data, { instance_id: a, environment: 'production' })
  await setTargets(world, shop.routes[0], [b, a])
  await assert.rejects(ask(), { code: 'dependencies.target_ambiguous', details: { instances: 2 } })
})
