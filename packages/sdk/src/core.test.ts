import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countingIds, FakeClock } from '@fleet/testing'
import {
  AnswerError,
  ApiError,
  type HttpAnswer,
  type HttpRequest,
  makeSender,
  type Route,
  type Sender,
  UnreachableError,
} from './core.ts'

const show: Route = {
  name: 'node:show',
  method: 'GET',
  path: '/api/v1/nodes/{node}',
  members: { node: 'path' },
  kind: 'json',
}
const rename: Route = {
  name: 'node:rename',
  method: 'PATCH',
  path: '/api/v1/nodes/{node}/name',
  members: { node: 'path', name: 'body' },
  kind: 'json',
}
const deploy: Route = {
  name: 'instance:deploy',
  method: 'POST',
  path: '/api/v1/deploy',
  members: {},
  kind: 'stream',
}

const ID = '00000000-0000-4000-8000-000000000001'
const ok = '{"data":{"id":7},"meta":{"request_id":"00000000-0000-4000-8000-0000000000ff"}}'

async function* bytes(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}
const answer = (status: number, ...texts: readonly string[]): HttpAnswer => ({
  status,
  chunks: bytes(...texts),
})

type Step = HttpAnswer | Error | 'silence'

/** A gateway that answers in turn, keeps what it was asked, and lets time run as the client waits. */
function fake(...steps: readonly Step[]): {
  readonly seen: HttpRequest[]
  readonly sender: Sender
  readonly waits: number[]
  readonly clock: FakeClock
} {
  const seen: HttpRequest[] = []
  const waits: number[] = []
  const clock = new FakeClock()
  const transport = (request: HttpRequest): Promise<HttpAnswer> => {
    const step = steps[seen.push(request) - 1] ?? new Error('asked too often')
    if (step === 'silence')
      return new Promise((_resolve, reject) =>
        request.signal.addEventListener('abort', () => reject(new Error('aborted'))),
      )
    return step instanceof Error ? Promise.reject(step) : Promise.resolve(step)
  }
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    waits.push(milliseconds)
    return milliseconds < 1000 ? Promise.resolve() : clock.sleep(milliseconds, signal)
  }
  const retryOf = () => 'wait' as const
  return {
    seen,
    waits,
    clock,
    sender: makeSender({
      baseUrl: 'https://gateway.fleet/',
      transport,
      clock: { sleep },
      ids: countingIds(),
      retryOf,
      clientName: 'test',
    }),
  }
}

test('a read goes out with its identity and comes back as data [API-014, GW-016]', async () => {
  const { sender, seen } = fake(answer(200, ok.slice(0, 9), ok.slice(9)))
  assert.deepEqual(await sender.send(show, { node: 7 }), {
    data: { id: 7 },
    status: 200,
    requestId: '00000000-0000-4000-8000-0000000000ff',
    text: ok,
  })
  const [request] = seen
  assert.equal(request?.url, 'https://gateway.fleet/api/v1/nodes/7')
  assert.deepEqual(request?.headers, {
    accept: 'application/json',
    'x-fleet-request-id': ID,
    'x-fleet-client': 'test',
  })
})

test('an answer that is longer than its limit is none of this operation: 32 MiB, or its own [DEX-030]', async () => {
  const mebibyte = 'x'.repeat(1024 * 1024)
  const data = (text: string): string => `{"data":"${text}","meta":{}}`
  const short: Route = { ...show, maxAnswerBytes: 4096 }
  const rest = data('').length
  const fits = await fake(answer(200, data('x'.repeat(4096 - rest)))).sender.send(short, { node: 7 })
  assert.equal(fits.text.length, 4096)
  const sent = fake(answer(200, data('é'.repeat(2040)))).sender.send(short, { node: 7 })
  await assert.rejects(sent, { name: 'AnswerError', message: /has more than 4096 bytes \(status 200\)/ })
  const parts = Array.from({ length: 32 }, () => mebibyte)
  const large = fake(answer(200, '{"data":"', ...parts, '"}')).sender.send(show, { node: 7 })
  await assert.rejects(large, { message: /has more than 33554432 bytes/ })
  const raw = fake(answer(200, ...parts, mebibyte)).sender.send({ ...show, kind: 'raw' }, { node: 7 })
  assert.equal((await raw).text.length, 33 * 1024 * 1024)
  const error = `{"error":{"code":"x.y","message":"${'m'.repeat(5000)}"}}`
  await assert.rejects(fake(answer(409, error)).sender.send(short, { node: 7 }), { code: 'x.y' })
})

test('a change carries its members in the body', async () => {
  const { sender, seen } = fake(answer(200, ok))
  await sender.send(rename, { node: 7, name: 'web' }, { requestId: 'mine' })
  assert.equal(seen[0]?.body, '{"name":"web"}')
  assert.equal(seen[0]?.headers['content-type'], 'application/json')
  assert.equal(seen[0]?.headers['x-fleet-request-id'], 'mine')
})

test('a refusal becomes an error with code, details, request id and advice', async () => {
  const text = `{"error":{"code":"node.name_taken","message":"Taken.","details":{"id":3},"request_id":"${ID}"}}`
  const error = await fake(answer(409, text))
    .sender.send(rename, { node: 7, name: 'web' })
    .catch((caught: unknown) => caught)
  assert.ok(error instanceof ApiError)
  const { code, message, status, details, requestId, retry } = error
  assert.deepEqual(
    { code, message, status, details, requestId, retry },
    {
      code: 'node.name_taken',
      message: 'Taken.',
      status: 409,
      details: { id: 3 },
      requestId: ID,
      retry: 'wait',
    },
  )
  assert.equal(error.text, text)
})

test('a read whose connection failed is sent once more after 250 ms [GW-037]', async () => {
  const { sender, seen, waits } = fake(new Error('refused'), answer(200, ok))
  assert.equal((await sender.send(show, { node: 7 })).status, 200)
  assert.equal(seen.length, 2)
  assert.equal(seen[0]?.headers['x-fleet-request-id'], seen[1]?.headers['x-fleet-request-id'])
  assert.deepEqual(waits.slice(1), [250])
})

test('a read is not sent a third time [GW-037]', async () => {
  const { sender, seen } = fake(new Error('refused'), new Error('refused'), answer(200, ok))
  await assert.rejects(sender.send(show, { node: 7 }), UnreachableError)
  assert.equal(seen.length, 2)
})

test('a change whose connection failed is never sent again [GW-037]', async () => {
  const { sender, seen } = fake(new Error('refused'), answer(200, ok))
  await assert.rejects(sender.send(rename, { node: 7, name: 'web' }), UnreachableError)
  assert.equal(seen.length, 1)
})

test('a read that got an answer is not sent again, whatever the answer [GW-037]', async () => {
  const { sender, seen } = fake(
    answer(503, '{"error":{"code":"http.busy","message":"Busy."}}'),
    answer(200, ok),
  )
  await assert.rejects(sender.send(show, { node: 7 }), ApiError)
  assert.equal(seen.length, 1)
})

test('a redirect is an error and no second request is made [GW-003]', async () => {
  for (const status of [301, 302, 307, 308, 0]) {
    const { sender, seen } = fake(answer(status), answer(200, ok))
    await assert.rejects(
      sender.send(show, { node: 7 }),
      (error) => error instanceof AnswerError && error.message.includes('redirect'),
    )
    assert.equal(seen.length, 1)
  }
})

test('an answer that is not of the API is distinguished from a refusal', async () => {
  await assert.rejects(fake(answer(502, '<html>')).sender.send(show, { node: 7 }), AnswerError)
  await assert.rejects(fake(answer(200, '{"id":7}')).sender.send(show, { node: 7 }), AnswerError)
  await assert.rejects(fake(answer(500, '{"message":"x"}')).sender.send(show, { node: 7 }), AnswerError)
})

test('an answer that ends early is an error, not a shorter answer', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('{"da')
    throw new Error('reset')
  }
  await assert.rejects(fake({ status: 200, chunks: broken() }).sender.send(show, { node: 7 }), AnswerError)
})

test('the time of a caller ends the request, which is then not repeated', async () => {
  const { sender, seen, clock } = fake('silence', answer(200, ok))
  const outcome = sender.send(show, { node: 7 }, { timeoutSeconds: 5 }).catch((error: unknown) => error)
  await Promise.resolve()
  clock.advance(5000)
  const error = await outcome
  assert.ok(error instanceof UnreachableError && error.timedOut)
  assert.equal(seen.length, 1)
})

test('a caller can abort', async () => {
  const stop = new AbortController()
  const { sender, seen } = fake('silence')
  const outcome = sender.send(show, { node: 7 }, { signal: stop.signal })
  await Promise.resolve()
  const reason = new Error('somebody pressed Ctrl-C')
  stop.abort(reason)
  const error = await outcome.catch((cause: unknown) => cause)
  assert.ok(error instanceof UnreachableError)
  assert.deepEqual([error.aborted, error.timedOut, error.cause], [true, false, reason])
  assert.match(error.message, /ended by its caller/)
  assert.equal(seen.length, 1)
})

test('lines that nobody reads ask nothing and wait for nothing', () => {
  const { sender, seen, waits } = fake('silence')
  sender.stream(deploy, {})
  assert.deepEqual([seen, waits], [[], []])
})

test('lines of a stream come one by one, also when a chunk cuts a character', async () => {
  const whole = new TextEncoder().encode('{"step":"é"}\n\n{"type":"result"}')
  async function* cut(): AsyncGenerator<Uint8Array> {
    yield whole.subarray(0, 10)
    yield whole.subarray(10)
  }
  assert.deepEqual(await Array.fromAsync(fake({ status: 200, chunks: cut() }).sender.stream(deploy, {})), [
    { step: 'é' },
    { type: 'result' },
  ])
})

test('an error before or inside a stream is an ApiError', async () => {
  const early = fake(answer(409, '{"error":{"code":"a.b","message":"No."}}')).sender.stream(deploy, {})
  await assert.rejects(Array.fromAsync(early), ApiError)
  const lines: unknown[] = []
  const late = fake(
    answer(200, '{"step":1}\n', '{"type":"error","status":502,"error":{"code":"a.b","message":"No."}}\n'),
  ).sender.stream(deploy, {})
  await assert.rejects(
    async () => {
      for await (const line of late) lines.push(line)
    },
    (error) => error instanceof ApiError && error.code === 'a.b' && error.status === 502,
  )
  assert.deepEqual(lines, [{ step: 1 }])
})

test('lines that end without a result are an answer that was cut off, whoever closed the connection', async () => {
  for (const lines of ['', '{"step":1}\n', '{"type":"result"}\n{"step":1}\n'])
    await assert.rejects(
      Array.fromAsync(fake(answer(200, lines)).sender.stream(deploy, {})),
      (error) => error instanceof AnswerError && error.isCutOff,
      lines,
    )
})
