import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from './pace.ts'

const LEAST = 100

test('a client that takes less than the least in the whole time is too slow, one that takes it begins anew', () => {
  const pace = new Pace(0, 60)
  const at = (now: number, delivered: number) =>
    pace.isTooSlow(now, { isWaiting: true, delivered, least: LEAST })
  assert.equal(at(30, 99), false)
  assert.equal(at(59, 100), false)
  assert.equal(at(118, 199), false)
  assert.equal(at(119, 199), true)
})

test('a client for which nothing waits is never too slow, however long', () => {
  const pace = new Pace(0, 60)
  const at = (now: number, isWaiting: boolean) =>
    pace.isTooSlow(now, { isWaiting, delivered: 1, least: LEAST })
  assert.equal(at(1000, false), false)
  assert.equal(at(1059, true), false)
  assert.equal(at(1060, true), true)
})
