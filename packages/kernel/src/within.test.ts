import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { within } from './within.ts'

test('work that ends in time gives its value or its error', async () => {
  const clock = new FakeClock()
  assert.deepEqual(await within(clock, 1000, Promise.resolve(7)), { inTime: true, value: 7 })
  await assert.rejects(within(clock, 1000, Promise.reject(new Error('broken'))), /broken/)
})

test('work that does not end is waited for as long as said, and no longer', async () => {
  const clock = new FakeClock()
  const waiting = within(clock, 1000, new Promise(() => undefined))
  clock.advance(999)
  assert.equal(await Promise.race([waiting, Promise.resolve('still waiting')]), 'still waiting')
  clock.advance(1)
  assert.deepEqual(await waiting, { inTime: false })
})
