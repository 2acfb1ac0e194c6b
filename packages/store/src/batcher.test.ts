import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import { makeBatcher } from '#/index.ts'

test('items that arrive together are one round, and each gets its own result', async () => {
  const rounds: (readonly number[])[] = []
  const batcher = makeBatcher<number, string>({
    maxItems: 10,
    flush: async (items) => {
      rounds.push(items)
      return items.map((item) => `row ${item}`)
    },
  })
  const results = await Promise.all([batcher.add(1), batcher.add(2), batcher.add(3)])
  assert.deepEqual(results, ['row 1', 'row 2', 'row 3'])
  assert.deepEqual(rounds, [[1, 2, 3]])
})

test('items that arrive during a round share the next one, at most so many at once', async () => {
  const rounds: (readonly number[])[] = []
  const firstRound = Promise.withResolvers<void>()
  const batcher = makeBatcher<number, number>({
    maxItems: 2,
    flush: async (items) => {
      rounds.push(items)
      if (rounds.length === 1) await firstRound.promise
      return items
    },
  })
  const first = batcher.add(1)
  await nextTurn()
  const later = [batcher.add(2), batcher.add(3), batcher.add(4)]
  firstRound.resolve()
  assert.deepEqual(await Promise.all([first, ...later]), [1, 2, 3, 4])
  assert.deepEqual(rounds, [[1], [2, 3], [4]])
})

test('a failed round fails its own items and no later ones', async () => {
  let round = 0
  const batcher = makeBatcher<string, string>({
    maxItems: 10,
    flush: async (items) => {
      round += 1
      if (round === 1) throw new Error('disk full')
      return items
    },
  })
  const failed = await Promise.allSettled([batcher.add('a'), batcher.add('b')])
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await batcher.add('c'), 'c')
})

test('a flush that loses a result is an error, not a hanging request', async () => {
  const batcher = makeBatcher<string, string>({ maxItems: 10, flush: async () => [] })
  await assert.rejects(batcher.add('a'), RangeError)
})

test('draining waits for what was added and never fails', async () => {
  let done = false
  const batcher = makeBatcher<string, string>({
    maxItems: 10,
    flush: async () => {
      done = true
      throw new Error('disk full')
    },
  })
  const added = assert.rejects(batcher.add('a'))
  await batcher.drain()
  assert.equal(done, true)
  await added
  await batcher.drain()
})
