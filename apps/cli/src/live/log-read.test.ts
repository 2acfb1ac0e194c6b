import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerError, UnreachableError } from '@fleet/sdk/core'
import { FakeClock } from '@fleet/testing'
import { newLines, readInstead } from './log-read.ts'
import type { LogNews } from './log-stream.ts'

const wish = { family: 'instance', record: 5, lines: 2 } as const

/** A log that is read as it stands, with what was asked and what was shown. */
function reading(follow: boolean) {
  const log: string[] = ['one', 'two', 'three']
  const [asked, shown]: [unknown[], LogNews[]] = [[], []]
  const failures: Array<Error | undefined> = []
  const clock = new FakeClock()
  const stop = new AbortController()
  const ask = async (operation: string, members: object = {}): Promise<unknown> => {
    asked.push([operation, members])
    const failure = failures.shift()
    if (failure) throw failure
    return { id: 5, name: 'shop', lines: 0, logs: log.join('\n') }
  }
  const ended = readInstead({ ask }, { clock, signal: stop.signal }, { ...wish, follow }, (news) =>
    shown.push(news),
  )
  // A test looks at it later.
  ended.catch(() => undefined)
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const lines = (): readonly string[] => shown.flatMap((news) => (news.kind === 'lines' ? news.lines : []))
  return { log, failures, asked, shown, clock, stop, ended, settle, lines }
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

test('a gateway that is away for a while is waited for, with one line about it, and a refusal ends the reading', async () => {
  const at = reading(true)
  await at.settle()
  const next = async (failure?: Error): Promise<void> => {
    at.failures.push(failure)
    at.clock.advance(5000)
    await at.settle()
  }
  const away = new UnreachableError('The gateway cannot be reached.', {
    requestId: 'r-1',
    timedOut: false,
    cause: undefined,
  })
  await next(away)
  await next(new AnswerError('Cut.', { status: 200, requestId: 'r-2', isCutOff: true }))
  at.log.push('four')
  await next()
  assert.deepEqual(at.lines(), ['two', 'three', 'four'])
  const trouble = at.shown.filter(({ kind }) => kind === 'trouble')
  assert.deepEqual(trouble, [
    { kind: 'trouble', text: 'The gateway does not answer. Trying again every 5 s until it does' },
  ])
  await next(away)
  assert.equal(at.shown.filter(({ kind }) => kind === 'trouble').length, 2)
  const refusal = new AnswerError('No API.', { status: 200, requestId: 'r-3' })
  await next(refusal)
  await assert.rejects(at.ended, refusal)
})

test('what two readings share is not new, whatever moved out of sight in between', () => {
  assert.deepEqual(newLines(['a', 'b'], ['a', 'b', 'c']), ['c'])
  assert.deepEqual(newLines(['a', 'b', 'c'], ['b', 'c', 'd']), ['d'])
  assert.deepEqual(newLines(['a', 'a'], ['a', 'a', 'a']), ['a'])
  assert.deepEqual(newLines(['a'], ['x', 'y']), ['x', 'y'])
  assert.deepEqual(newLines([], ['x']), ['x'])
  assert.deepEqual(newLines(['a'], []), [])
})
