import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeWorld } from '#/environment/world.test.ts'

test('a changed file is replaced in two round trips, an unchanged one is confirmed in one [ENV-011]', async () => {
  await using world = await makeWorld()
  await world.update('GREETING', 'hello')
  assert.deepEqual(await world.sync(), {
    instance_id: world.instance.id,
    operation: 'sync',
    changed: true,
    key_count: 1,
  })
  assert.equal(world.pool.executed.length, 2)
  assert.equal(world.fileText(), 'GREETING="hello"\n')
  assert.deepEqual(await world.sync(), {
    instance_id: world.instance.id,
    operation: 'sync',
    changed: false,
    key_count: 1,
  })
  assert.equal(world.pool.executed.length, 3)
})
