import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { newLines, readInstead } from './log-read.ts'
import type { LogNews } from './log-stream.ts'

const wish = { family: 'instance', record: 5, lines: 2 } as const

/** A log that is read as it stands, with what was asked and what was shown. */
function reading(follow: boolean) {
  const log: string[] = ['one', 'two', 'three']
  const [asked, shown]: [unknown[], LogNews[]] = [[], []]
  const clock = new FakeClock()
  const stop = new AbortController()
  const ask = async (operation: string, members: object = {}): Promise<unknown> => {
    asked.push([operation, members])
    return { id: 5, name: 'shop', lines: 0, logs: log.join('\n') }
  }
  const ended = readInstead({ ask }, { clock, signal: stop.signal }, { ...wish, follow }, (news) =>
    shown.push(news),
  )
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const lines = (): readonly string[] => shown.flatMap((news) => (news.kind === 'lines' ? news.lines : []))
  return { log, asked, shown, clock, stop, ended, settle, lines }
}

test('a log that cannot be followed is read once, and shown as what this client itself tells [INS-123]', async () => {
  const at = reading(false)
  await at.ended
  assert.deepEqual(at.asked, [['instance:logs', { instance: 5, lines: 2 }]])
  const lines = ['two', 'three']
  assert.deepEqual(at.shown, [{ kind: 'lines', event: { type: 'logs.read', data: { lines } }, lines }])
})

test('to follow it, it is read every 5 seconds, and only what is new is shown', async () => {
  const at = reading(true)
  await at.settle()
  at.log.push('four')
  at.clock.advance(4999)
  await at.settle()
  assert.deepEqual(at.lines(), ['two', 'three'])
  at.clock.advance(1)
  await at.settle()
  assert.deepEqual(at.lines(), ['two', 'three', 'four'])
  at.clock.advance(5000)
  await at.settle()
  assert.equal(at.shown.length, 2)
  at.stop.abort()
  await at.ended
})

test('what two readings share is not new, whatever moved out of sight in between', () => {
  assert.deepEqual(newLines(['a', 'b'], ['a', 'b', 'c']), ['c'])
  assert.deepEqual(newLines(['a', 'b', 'c'], ['b', 'c', 'd']), ['d'])
  assert.deepEqual(newLines(['a', 'a'], ['a', 'a', 'a']), ['a'])
  assert.deepEqual(newLines(['a'], ['x', 'y']), ['x', 'y'])
  assert.deepEqual(newLines([], ['x']), ['x'])
  assert.deepEqual(newLines(['a'], []), [])
})
