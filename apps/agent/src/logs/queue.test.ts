import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutLine } from './cut-line.ts'
import { LogQueue } from './queue.ts'
import { Rate } from './rate.ts'

const line = (text: string) => ({ text, skipped: 0 })
const all = { left: () => Number.POSITIVE_INFINITY, take: () => undefined }
const drain = (queue: LogQueue) => {
  const messages = []
  for (let message = queue.next([all]); message; message = queue.next([all])) messages.push(message)
  return messages
}

test('a line holds 8 KiB of whole characters, then the mark of a cut [LOGS-016]', () => {
  assert.equal(cutLine('x'.repeat(8192)), 'x'.repeat(8192))
  assert.equal(cutLine('x'.repeat(8193)), `${'x'.repeat(8192)}[truncated]`)
  assert.equal(cutLine(`x${'é'.repeat(4096)}`), `x${'é'.repeat(4095)}[truncated]`)
  assert.equal(cutLine('x', true), 'x[truncated]')
})

test('whatever a line holds, its message has less than 10,000 bytes [LOGS-019]', () => {
  for (const text of [
    '"'.repeat(9000),
    '\u0001'.repeat(9000),
    '\\'.repeat(5000),
    '𝄞'.repeat(5000),
    '\ufffd'.repeat(9000),
  ]) {
    const queue = new LogQueue(10, () => undefined)
    queue.take([line(text), line(text), line('end')])
    const messages = drain(queue)
    assert.equal(messages.flatMap(({ lines }) => lines).length, 3)
    for (const message of messages) {
      const frame = {
        event: 'client-log',
        channel: 'presence-node-logs.2147483647',
        data: { stream: 'a'.repeat(32), ...message },
      }
      assert.ok(Buffer.byteLength(JSON.stringify(frame)) < 10_000)
    }
  }
})

test('first lines are the last ones, at most 256 KiB, and go outside the rates; others wait for them [LOGS-015, LOGS-017]', () => {
  const none = { left: () => 0, take: () => undefined }
  const queue = new LogQueue(3, () => undefined)
  queue.take([line('later')])
  queue.first(['a', 'b', 'c', 'd'].map(line))
  assert.deepEqual(queue.next([none])?.lines, ['b', 'c', 'd'])
  assert.equal(queue.next([none]), undefined)
  assert.deepEqual(queue.next([all])?.lines, ['later'])
  const big = new LogQueue(1000, () => undefined)
  big.first(Array.from({ length: 1000 }, () => line('x'.repeat(1000))))
  const bytes = drain(big).flatMap(({ lines }) => lines).length * 1000
  assert.ok(bytes > 255_000 && bytes <= 256 * 1024, String(bytes))
})

test('lines that nobody can take make room for newer ones, and how many is reported before what follows [LOGS-009]', () => {
  const queue = new LogQueue(10, () => undefined)
  queue.first([])
  const texts = Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(1024, '.'))
  queue.take(texts.map(line))
  queue.skip(77)
  const messages = drain(queue)
  assert.deepEqual(
    messages.map(({ sequence }) => sequence),
    messages.map((_, index) => index + 1),
  )
  assert.deepEqual(messages.map(({ dropped, skipped }) => [dropped, skipped]).slice(0, 2), [
    [44, 77],
    [0, 0],
  ])
  assert.deepEqual(
    messages.flatMap(({ lines }) => lines),
    texts.slice(44),
  )
})

test('a rate lets its burst pass at once and then so much a second [LOGS-017]', () => {
  const rate = new Rate(32, 256)
  assert.equal(rate.left(0), 256)
  rate.take(256)
  assert.equal(rate.left(0), 0)
  assert.equal(rate.left(500), 16)
  assert.equal(rate.left(100_000), 256)
})

test('a block that begins above the first lines is masked in them [LOGS-015, LOGS-023]', () => {
  const [begin, end, masked] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', '[REDACTED]']
  const lines = ['MII', 'MII', end, 'a', begin, 'MII', end, 'b'].map(line)
  const firstOf = (count: number) => {
    const queue = new LogQueue(count, () => undefined)
    queue.first(lines)
    return queue.next([all])?.lines
  }
  assert.deepEqual(firstOf(7), [masked, masked, 'a', masked, masked, masked, 'b'])
  assert.deepEqual(firstOf(2), [masked, 'b'])
})
