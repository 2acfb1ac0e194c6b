import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn, systemClock } from './clock.ts'

test('a time that is longer than a timer of the platform holds is waited for in parts', async (context) => {
  const asked: number[] = []
  const pending: Array<() => void> = []
  context.mock.method(globalThis, 'setTimeout', (callBack: () => void, milliseconds: number) => {
    asked.push(milliseconds)
    pending.push(callBack)
    return pending.length
  })
  const cleared: unknown[] = []
  context.mock.method(globalThis, 'clearTimeout', (timer: unknown) => void cleared.push(timer))
  const longest = 2 ** 31 - 1
  const over: string[] = []
  const timer = systemClock.timer(2 * longest + 5)
  void timer.over.then(() => over.push('timer'))
  const slept = systemClock.sleep(longest + 1).then(() => over.push('sleep'))
  const ending = new AbortController()
  const aborted = systemClock.sleep(Infinity, ending.signal).then(() => over.push('aborted'))
  const run = async () => {
    for (const callBack of pending.splice(0)) callBack()
    await nextTurn()
  }
  await run()
  assert.deepEqual([asked.splice(0), over], [[longest, longest, longest, longest, 1, longest], []])
  await run()
  assert.deepEqual([asked.splice(0), over], [[5, longest], ['sleep']])
  await run()
  assert.deepEqual(over, ['sleep', 'timer'])
  ending.abort()
  await Promise.all([slept, aborted])
  assert.deepEqual(over, ['sleep', 'timer', 'aborted'])
  assert.ok(cleared.length > 0)
  const short = systemClock.timer(7)
  short[Symbol.dispose]()
  assert.equal(asked.at(-1), 7)
})
