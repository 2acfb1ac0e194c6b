import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import type { CallOptions } from '@fleet/sdk/core'
import { FakeClock } from '@fleet/testing'
import { fakeServer } from './fake-server.ts'
import { type FeedNews, followFeed } from './follow-feed.ts'

/** Follows until the test has ended. */
function follow(
  context: { after(work: () => Promise<void>): void },
  { link, end }: ReturnType<typeof fakeServer>,
) {
  const clock = new FakeClock()
  const news: FeedNews[] = []
  const stop = new AbortController()
  const following = followFeed(link, {
    clock,
    signal: stop.signal,
    newRequestId: () => 'proof',
    chance: (count) => new Uint8Array(count),
    report: (item) => void news.push(item),
  })
  context.after(async () => {
    stop.abort()
    end('')
    clock.advance(60_000)
    await following
  })
  return { clock, news }
}

test('a connection that ends while its proof is unanswered is reported as lost at once, and the proof ended', async (context) => {
  const asked: (CallOptions | undefined)[] = []
  const server = fakeServer((_operation, _members, options) => {
    asked.push(options)
    return new Promise(() => undefined)
  })
  const { news } = follow(context, server)
  await nextTurn()
  assert.deepEqual(news, [{ kind: 'connected', again: false }])
  assert.deepEqual(
    asked.map((options) => [options?.requestId, options?.timeoutSeconds, options?.signal?.aborted]),
    [['proof', 10, false]],
  )
  server.end('restarting')
  await nextTurn()
  assert.deepEqual(news.at(-1), { kind: 'lost', reason: 'restarting', retrySeconds: 2 })
  assert.equal(asked[0]?.signal?.aborted, true)
})

test('a proof that the feed does not publish is reported once, unless its connection has ended by then', async (context) => {
  const server = fakeServer(async () => ({}))
  const { news, clock } = follow(context, server)
  await nextTurn()
  clock.advance(10_000)
  await nextTurn()
  assert.deepEqual(news, [{ kind: 'connected', again: false }, { kind: 'silent' }])
  server.end('restarting')
  await nextTurn()
  clock.advance(2000)
  await nextTurn()
  assert.deepEqual(news.at(-1), { kind: 'connected', again: true })
  server.end('restarting')
  await nextTurn()
  const before = news.length
  clock.advance(500)
  await nextTurn()
  assert.equal(news.length, before)
})

test('a proof that is published is no news of its own', async (context) => {
  const answered = Promise.withResolvers<unknown>()
  const server = fakeServer(() => answered.promise)
  const { news, clock } = follow(context, server)
  await nextTurn()
  server.publish({ type: 'activity.created', run: 'a', sequence: 1, data: { request_id: 'proof' } })
  answered.resolve({})
  await nextTurn()
  clock.advance(10_000)
  await nextTurn()
  assert.deepEqual(
    news.map(({ kind }) => kind),
    ['connected', 'event'],
  )
})
