import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { oneLimit } from './mcp-limit.ts'

test('all calls of one request have 600 s together, and what has begun is not waited for any longer [GW-033]', async () => {
  const clock = new FakeClock()
  const inTime = oneLimit({ admission: { draining: false }, clock })
  const calls: string[] = []
  assert.equal(await inTime(async () => calls.push('first')), 1)
  clock.advance(599_000)
  const slow = inTime(() => new Promise(() => void calls.push('slow')))
  clock.advance(1000)
  await assert.rejects(slow, { code: 'command.deadline_exceeded' })
  await assert.rejects(
    inTime(async () => calls.push('late')),
    { code: 'command.deadline_exceeded' },
  )
  assert.deepEqual(calls, ['first', 'slow'])
})

test('no call begins in a gateway that stops, and one that has begun is answered', async () => {
  const admission = { draining: false }
  const inTime = oneLimit({ admission, clock: new FakeClock() })
  const calls: string[] = []
  const begun = inTime(async () => {
    admission.draining = true
    return 'answered'
  })
  assert.equal(await begun, 'answered')
  await assert.rejects(
    inTime(async () => calls.push('next')),
    { code: 'http.draining' },
  )
  assert.deepEqual(calls, [])
})
