import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import type { StepProgress } from '@fleet/fleet'
import { FakeClock } from '@fleet/testing'
import { type Answer, failure, success } from './answer.ts'
import { wantsLines, watched } from './watch.ts'

type Work = (progress: (step: StepProgress) => void) => Promise<Answer>

const done = success('r-1', { id: 7 }, 201)
const refused = failure('r-1', fail('node.unreachable'))

const watch = (work: Work, clock = new FakeClock()): Promise<Answer> =>
  watched({ clock, work, late: () => failure('r-1', fail('command.deadline_exceeded')) })

const linesOf = ({ lines }: Answer): Promise<unknown[]> => Array.fromAsync(lines ?? [])

test('each step is a line with its time, the last line is the result with its status', async () => {
  const clock = new FakeClock()
  const answer = await watch(async (progress) => {
    progress({ step: 'bootstrap', status: 'started' })
    clock.advance(1234)
    progress({ step: 'bootstrap', status: 'done' })
    progress({ step: 'agent', status: 'skipped' })
    return done
  }, clock)
  assert.equal(answer.status, 200)
  assert.deepEqual(await linesOf(answer), [
    { type: 'step', step: 'bootstrap', status: 'started', at: '2026-01-02T03:04:05.000Z' },
    { type: 'step', step: 'bootstrap', status: 'done', at: '2026-01-02T03:04:06.234Z', milliseconds: 1234 },
    { type: 'step', step: 'agent', status: 'skipped', at: '2026-01-02T03:04:06.234Z' },
    { type: 'result', status: 201, data: { id: 7 }, meta: { request_id: 'r-1' } },
  ])
})

test('work without a step is one line, and a failure before the first step is the plain answer', async () => {
  assert.deepEqual(await linesOf(await watch(async () => done)), [
    { type: 'result', status: 201, data: { id: 7 }, meta: { request_id: 'r-1' } },
  ])
  const { status, body, lines } = await watch(async () => refused)
  assert.deepEqual([status, body, lines], [502, refused.body, undefined])
})

test('a failure after a step is the last line, with the status that the plain answer would have had', async () => {
  const answer = await watch(async (progress) => {
    progress({ step: 'bootstrap', status: 'failed' })
    return refused
  })
  const lines = await linesOf(answer)
  assert.deepEqual(lines.at(-1), {
    type: 'error',
    status: 502,
    error: { code: 'node.unreachable', message: 'The Node does not answer over SSH.', request_id: 'r-1' },
  })
})

test('a client that reads nothing slows no work down and misses only steps, never the result', async () => {
  const answer = await watch(async (progress) => {
    for (let step = 0; step < 5000; step += 1) progress({ step: `s-${step}`, status: 'done' })
    return done
  })
  await answer.done
  const lines = await linesOf(answer)
  assert.equal(lines.length, 1001)
  assert.deepEqual(lines.at(-1), {
    type: 'result',
    status: 201,
    data: { id: 7 },
    meta: { request_id: 'r-1' },
  })
})

test('a client that goes away before the first line is read leaves the work to its own end', async () => {
  const end = Promise.withResolvers<void>()
  const answer = await watch(async (progress) => {
    progress({ step: 'bootstrap', status: 'started' })
    await end.promise
    progress({ step: 'bootstrap', status: 'done' })
    return done
  })
  const lines = answer.lines?.[Symbol.asyncIterator]()
  await lines?.return?.()
  end.resolve()
  assert.equal(await answer.done, done)
  assert.deepEqual(await lines?.next(), { done: true, value: undefined })
})

test('the last line says that work outlives the request, and it continues [GW-033]', async () => {
  const clock = new FakeClock()
  const end = Promise.withResolvers<Answer>()
  const answer = await watch((progress) => {
    progress({ step: 'bootstrap', status: 'started' })
    return end.promise
  }, clock)
  clock.advance(600_000)
  const last = (await linesOf(answer)).at(-1)
  assert.deepEqual(last, {
    type: 'error',
    status: 504,
    error: {
      code: 'command.deadline_exceeded',
      message: fail('command.deadline_exceeded').message,
      request_id: 'r-1',
    },
  })
  end.resolve(done)
  assert.equal(await answer.done, done)
})

test('only a client that names the media type of lines watches', () => {
  for (const accept of [
    'application/x-ndjson',
    'application/x-ndjson, application/json',
    'text/html;q=1, Application/X-NDJSON;q=0.5',
    'application/x-ndjson;q=0.001',
  ])
    assert.equal(wantsLines(accept), true, accept)
  for (const accept of [undefined, '', '*/*', 'application/json', 'application/x-ndjson-seq'])
    assert.equal(wantsLines(accept), false, accept ?? 'none')
  // Excluded by its weight.
  for (const accept of ['application/x-ndjson;q=0', 'application/json, application/x-ndjson ; Q=0.000'])
    assert.equal(wantsLines(accept), false, accept)
})
