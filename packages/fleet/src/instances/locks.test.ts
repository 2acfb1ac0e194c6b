import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Deadline } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { FakeClock, fakeCall, openTestStore } from '@fleet/testing'
import { withLifecycleLock, withOperationLock } from './locks.ts'

/** Holds the operation lock of Instance 7 until it is let go. */
async function holdOperation(store: Store) {
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const call = fakeCall({ operation: 'env:sync', requestId: 'r-1' })
  const done = withOperationLock(store, call, 7, 'env.operation_busy', async () => {
    begin()
    await freed
  })
  await begun
  return { free, done }
}

test('work on one Instance waits its turn, work on another never does [GW-042]', async () => {
  await using store = await openTestStore()
  const { free, done } = await holdOperation(store)
  const order: string[] = []
  const note = (what: string) => async () => void order.push(what)
  const second = withOperationLock(store, fakeCall(), 7, 'env.operation_busy', note('same'))
  await withOperationLock(store, fakeCall(), 8, 'env.operation_busy', note('other'))
  free()
  await Promise.all([done, second])
  assert.deepEqual(order, ['other', 'same'])
})

test('the wait ends after 30 s, or with the time of the request, in the code asked for and with the holder [GW-042]', async () => {
  for (const [requestSeconds, waitSeconds] of [
    [570, 30],
    [10, 10],
  ] as const) {
    const clock = new FakeClock()
    await using store = await openTestStore({ clock })
    const { free, done } = await holdOperation(store)
    const call = fakeCall({ deadline: new Deadline(clock, requestSeconds, 0) })
    let ended = false
    const waiting = withOperationLock(store, call, 7, 'instance.lifecycle_busy', async () => 'never')
    const busy = assert.rejects(
      waiting.finally(() => (ended = true)),
      (error: { code?: string; details?: object }) => {
        assert.equal(error.code, 'instance.lifecycle_busy')
        assert.partialDeepStrictEqual(error.details, { holder: { operation: 'env:sync', request_id: 'r-1' } })
        return true
      },
    )
    await turn()
    clock.advance(waitSeconds * 1000 - 1)
    await turn()
    assert.equal(ended, false)
    clock.advance(1)
    await busy
    free()
    await done
  }
})

// On a clock that nobody moves a wait would never end.
test('a lifecycle operation does not wait for another one [GW-043]', { timeout: 60_000 }, async () => {
  await using store = await openTestStore({ clock: new FakeClock() })
  const place = { projectId: 1, name: 'feature' }
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const first = withLifecycleLock(store, fakeCall({ operation: 'instance:create' }), place, () => freed)
  await turn()
  await assert.rejects(
    withLifecycleLock(store, fakeCall(), place, async () => 'never'),
    (error: { code?: string; details?: object }) => {
      assert.equal(error.code, 'instance.lifecycle_busy')
      assert.partialDeepStrictEqual(error.details, {
        outcome: 'busy',
        holder: { operation: 'instance:create' },
      })
      return true
    },
  )
  assert.equal(
    await withLifecycleLock(store, fakeCall(), { ...place, projectId: 2 }, async () => 'other'),
    'other',
  )
  free()
  await first
})
