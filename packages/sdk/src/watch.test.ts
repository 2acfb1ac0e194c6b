import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countingIds, FakeClock } from '@fleet/testing'
import { AnswerError, ApiError, type HttpRequest, makeSender, type Route } from './core.ts'

const add: Route = {
  name: 'node:add',
  method: 'POST',
  path: '/api/v1/nodes',
  members: { name: 'body' },
  kind: 'json',
}
const started = '{"type":"step","step":"bootstrap","status":"started","at":"2026-01-02T03:04:05.000Z"}\n'
const result = '{"type":"result","status":201,"data":{"id":7},"meta":{"request_id":"r-1"}}\n'

async function* bytes(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

/** Watches one addition that is answered with these texts. */
async function watch(status: number, ...texts: readonly string[]) {
  const steps: string[] = []
  const seen: HttpRequest[] = []
  const sender = makeSender({
    baseUrl: 'https://gateway.fleet',
    transport: async (request) => (seen.push(request), { status, chunks: bytes(texts) }),
    clock: new FakeClock(),
    ids: countingIds(),
    retryOf: () => 'repeat',
  })
  const work = sender.send(
    add,
    { name: 'web' },
    { watch: ({ step, status: at }) => steps.push(`${step} ${at}`) },
  )
  const answer = await work.catch((error: unknown) => error)
  return { answer, steps, accept: seen[0]?.headers['accept'] }
}

test('each step is reported, and the last line is the answer with its own status', async () => {
  const { answer, steps, accept } = await watch(200, started, result)
  assert.equal(accept, 'application/x-ndjson, application/json')
  assert.deepEqual(steps, ['bootstrap started'])
  assert.deepEqual(answer, { data: { id: 7 }, status: 201, requestId: 'r-1', text: result.trim() })
})

test('a gateway that answers the plain envelope is understood', async () => {
  const { answer, steps } = await watch(200, '{"data":{"id":7},', '"meta":{"request_id":"r-1"}}')
  assert.deepEqual(steps, [])
  assert.equal((answer as { status: number }).status, 200) // A success, or the next line fails.
  assert.deepEqual((answer as { data: unknown }).data, { id: 7 }) // The same.
})

test('an error is the same whether it stands in the last line or in a plain answer', async () => {
  const error = '{"code":"node.bootstrap_failed","message":"No.","details":{"step":"bootstrap"}}'
  for (const { answer } of [
    await watch(200, started, `{"type":"error","status":502,"error":${error}}\n`),
    await watch(502, `{"error":${error}}`),
  ]) {
    assert.ok(answer instanceof ApiError)
    assert.deepEqual(
      [answer.code, answer.status, answer.details, answer.retry],
      ['node.bootstrap_failed', 502, { step: 'bootstrap' }, 'repeat'],
    )
  }
})

test('lines that end without a result are no answer, and what is no line is none either', async () => {
  assert.ok((await watch(200, started)).answer instanceof AnswerError)
  assert.ok((await watch(200, started, '<html>\n')).answer instanceof AnswerError)
})

test('lines of a kind that this client does not know are passed over', async () => {
  const { answer, steps } = await watch(200, '{"type":"hint","text":"x"}\n', '{"type":"step"}\n', result)
  assert.deepEqual(steps, [])
  assert.match(JSON.stringify(answer), /"status":201/)
})
