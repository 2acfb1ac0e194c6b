import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { DatabaseFailure } from '#/failure.ts'
import { withinTime } from './time-limit.ts'

const REASON = 'said by the server'

/** What is said to have ended a statement that the server has ended after the given work. */
async function endedAfter(
  request: { readonly timeoutMilliseconds: number; readonly signal?: AbortSignal },
  work: () => Promise<void>,
): Promise<unknown> {
  let ended: DatabaseFailure | undefined
  const classify = (_error: unknown, by: DatabaseFailure | undefined): DatabaseFailure => {
    ended = by
    return new DatabaseFailure('database.query_failed', REASON, { reason: 'statement' })
  }
  const failing = async (): Promise<never> => {
    await work()
    throw new Error(REASON)
  }
  await assert.rejects(withinTime({ clock: systemClock, request }, classify, failing), { message: REASON })
  return ended?.details.reason
}

test('a request has ended a statement when its time is over or its caller is gone, and not before', async () => {
  const long = 60_000
  assert.equal(await endedAfter({ timeoutMilliseconds: long }, async () => undefined), undefined)
  assert.equal(
    await endedAfter({ timeoutMilliseconds: long, signal: AbortSignal.abort() }, async () => undefined),
    'cancelled',
  )
  // The server counts the time by its own clock, which may be a little ahead.
  assert.equal(await endedAfter({ timeoutMilliseconds: 90 }, async () => undefined), 'time')
  assert.equal(await endedAfter({ timeoutMilliseconds: 1 }, () => systemClock.sleep(20)), 'time')
})
