import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { Deadline } from './deadline.ts'
import { LIMITS } from './limits.ts'

test('forward work ends 20 s before the deadline, clean-up at it [GW-034]', () => {
  const clock = new FakeClock()
  const deadline = new Deadline(clock, LIMITS.deadlineSeconds, LIMITS.cleanupReserveSeconds)
  assert.deepEqual([deadline.forwardMilliseconds(), deadline.remainingMilliseconds()], [550_000, 570_000])
  clock.advance(550_000)
  assert.deepEqual([deadline.forwardMilliseconds(), deadline.remainingMilliseconds()], [0, 20_000])
  clock.advance(30_000)
  assert.deepEqual([deadline.forwardMilliseconds(), deadline.remainingMilliseconds()], [0, 0])
})

test('another reserve keeps the same end [PRJ-071]', () => {
  const clock = new FakeClock()
  const deadline = new Deadline(clock, 570, 20)
  clock.advance(100_000)
  const reserving = deadline.reserving(150)
  assert.deepEqual([reserving.forwardMilliseconds(), reserving.remainingMilliseconds()], [320_000, 470_000])
})
