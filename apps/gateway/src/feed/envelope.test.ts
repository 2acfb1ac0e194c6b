import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zonedTime } from './envelope.ts'

test('the time of an event is that of this machine, with its offset [EV-005]', () => {
  const time = new Date('2026-07-01T12:34:56.789Z')
  const text = zonedTime(time)
  assert.match(text, /^2026-0[67]-\d\dT\d\d:\d\d:56\.789[+-]\d\d:\d\d$/)
  assert.equal(new Date(text).getTime(), time.getTime())
})
