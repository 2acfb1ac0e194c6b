import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import { fakeCall, refusalOf } from '@fleet/testing'
import { startWorld } from '#/dependencies/world.test.ts'
import { holding, lockOf } from '#/locks/api.ts'

test('a development scan also holds the source lock of its Node, and a production scan does not wait for it [DEX-035]', async () => {
  await using world = await startWorld()
  await using live = await startWorld({ instance: { environment: 'production' } })
  for (const [at, code] of [
    [world, 'dependencies.operation_busy'],
    [live, undefined],
  ] as const) {
    const holder = fakeCall({ operation: 'instance:dependencies:update' })
    await holding(at.store, holder, lockOf('nodeSource', at.node.id), async () => {
      const waiting = fakeCall({ deadline: new Deadline(systemClock, 20.1, 20) })
      if (code === undefined) return assert.doesNotReject(at.scan(waiting))
      const refusal = await refusalOf(at.scan(waiting))
      assert.equal(refusal.code, code)
      assert.partialDeepStrictEqual(refusal.details, { holder: { operation: holder.operation } })
      assert.deepEqual(at.pool.commands, [])
    })
  }
})
