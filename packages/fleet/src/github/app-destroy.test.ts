import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { findApp } from '#/github/queries.ts'
import { codeOf, startWorld } from '#/github/world.test.ts'

test('github:app:destroy deletes what is stored and asks nobody; then there is none [PRX-011, PRX-014]', async () => {
  await using world = await startWorld()
  const destroy = () => world.domain.handlers['github:app:destroy']({ call: fakeCall(), input: {} })
  const { data } = await destroy()
  assert.deepEqual([data.id, data.slug], [world.app, 'fleet'])
  assert.doesNotMatch(JSON.stringify(data), /PRIVATE/)
  assert.deepEqual([await findApp(world.store.db), world.host.calls], [undefined, []])
  assert.equal(await codeOf(destroy()), 'github.app_missing')
})
