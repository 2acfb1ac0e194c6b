import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { FakeTerminal } from '#/fake-terminal.ts'
import { withProgress } from './progress.ts'

const never = new AbortController().signal

/** Lets everything run that waits for nothing but its turn. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('without a terminal long work is reported in plain lines on standard error', async () => {
  const clock = new FakeClock()
  const terminal = new FakeTerminal()
  const work = Promise.withResolvers<string>()
  const shown = withProgress('env:sync', terminal, clock, never, work.promise)
  for (const seconds of [5, 10, 15, 30, 60]) {
    await settle()
    clock.advance(seconds * 1000)
  }
  await settle()
  work.resolve('done')
  assert.equal(await shown, 'done')
  const lines = ['5 s', '15 s', '30 s', '1 min 0 s', '2 min 0 s'].map(
    (time) => `env:sync: still running after ${time}\n`,
  )
  assert.equal(terminal.errText, lines.join(''))
  assert.equal(terminal.outText, '')
})

test('work that is soon over or fails says nothing', async () => {
  const terminal = new FakeTerminal()
  assert.equal(await withProgress('x', terminal, new FakeClock(), never, Promise.resolve(1)), 1)
  await assert.rejects(
    withProgress('x', terminal, new FakeClock(), never, Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(terminal.errText, '')
})
