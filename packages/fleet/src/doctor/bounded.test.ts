import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounded } from '#/bounded.ts'

test('no more than the limit are in work, and the results keep the order', async () => {
  let now = 0
  let most = 0
  const doubled = await bounded([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, (now += 1))
    await new Promise(setImmediate)
    now -= 1
    return item * 2
  })
  assert.deepEqual([doubled, most], [[2, 4, 6, 8, 10, 12, 14], 3])
})

test('a failure is thrown after all begun work has ended', async () => {
  let ended = 0
  const failing = bounded([1, 2], 2, async (item) => {
    if (item === 1) throw new Error('first')
    await new Promise(setImmediate)
    ended += 1
  })
  await assert.rejects(failing, /first/)
  assert.equal(ended, 1)
})
