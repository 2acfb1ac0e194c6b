import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Continuity, GRACE_MILLISECONDS } from './continuity.ts'

test('a number that never comes is reported once, and only when it can no longer be on its way', () => {
  const feed = new Continuity()
  for (const sequence of [7, 8, 11]) feed.note('a', sequence, 0)
  assert.deepEqual(feed.overdue(GRACE_MILLISECONDS - 1), [])
  assert.deepEqual(feed.overdue(GRACE_MILLISECONDS), [{ run: 'a', from: 9, to: 10 }])
  assert.deepEqual(feed.overdue(GRACE_MILLISECONDS * 2), [])
})

test('events in another order, or twice, are none that is missing', () => {
  const feed = new Continuity()
  for (const sequence of [1, 4, 2, 4, 3, 5]) feed.note('a', sequence, 0)
  assert.deepEqual(feed.overdue(Infinity), [])
})

test('a run that begins while another is followed begins with 1; one that is older than the first event does not', () => {
  const feed = new Continuity()
  feed.note('gateway', 40, 0)
  feed.note('console', 1, 0)
  feed.note('gateway', 41, 0)
  feed.note('restarted', 3, 0)
  assert.deepEqual(feed.overdue(Infinity), [{ run: 'restarted', from: 1, to: 2 }])
})

test('whatever is lost and whatever the order, exactly the lost numbers between the first and the last are reported', () => {
  const arrivals = fc.uniqueArray(fc.integer({ min: 2, max: 40 }), { minLength: 1 })
  fc.assert(
    fc.property(arrivals, (shuffled) => {
      const feed = new Continuity()
      feed.note('a', 1, 0)
      for (const sequence of shuffled) feed.note('a', sequence, 0)
      const reported = feed
        .overdue(Infinity)
        .flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index))
      const arrived = new Set(shuffled)
      const lost = Array.from({ length: Math.max(...shuffled) - 2 }, (_, index) => index + 2)
      assert.deepEqual(
        reported.toSorted((a, b) => a - b),
        lost.filter((sequence) => !arrived.has(sequence)),
      )
    }),
  )
})
