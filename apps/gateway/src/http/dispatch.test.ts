import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail, operation, type Operation } from '@fleet/contract'
import type { Access, Call, EventPublisher, Journal } from '@fleet/fleet'
import { FakeClock, testExecutor } from '@fleet/testing'
import * as z from 'zod'
import type { Answer } from './answer.ts'
import { type Body, parseBody } from './body.ts'
import { makeDispatch } from './dispatch.ts'

const change = operation({
  name: 'sample:change',
  group: 'Nodes',
  method: 'POST',
  path: '/samples/{sample}',
  access: 'node',
  creates: true,
  input: z.strictObject({ sample: z.int(), text: z.string() }),
  output: z.strictObject({ text: z.string() }),
  unknown: { sample: 'node.not_found' },
  summary: 'Change a sample',
})
const read = operation({ ...change, name: 'sample:read', method: 'GET', creates: false })
const stream = operation({ ...change, name: 'sample:stream', kind: 'stream', creates: false })
const raw = operation({ ...read, name: 'sample:raw', kind: 'raw', mediaType: 'text/plain' })

interface Scene {
  readonly feed?: EventPublisher['publish']
  readonly refuse?: Partial<Record<'identify' | 'locate' | 'authorize', Parameters<typeof fail>[0]>>
  readonly handler?: (request: {
    call: Call
    input: { sample: number; text: string }
  }) => Promise<{ data: unknown; created?: boolean }>
  readonly body?: Body
}

/** Runs one request; `story` lists what happened, in order. */
async function play(given: Operation, scene: Scene = {}): Promise<{ answer: Answer; story: string[] }> {
  const story: string[] = []
  const note = (word: 'identify' | 'locate' | 'authorize'): void => {
    story.push(word)
    const code = scene.refuse?.[word]
    if (code) throw fail(code)
  }
  const access: Access = {
    identify: async () => (note('identify'), { id: 5, name: 'web-1', address: '10.0.0.5', isGateway: false }),
    locate: async () => (note('locate'), { nodes: [{ id: 7, name: 'db-1' }] }),
    authorize: async () => note('authorize'),
  }
  const journal: Journal = {
    open: () => ({
      note: {
        target: (id) => void story.push(`target ${id}`),
        subject: () => undefined,
        property: () => undefined,
        exitCode: () => undefined,
      },
      caller: (id) => void story.push(`caller ${id}`),
      begin: async () => void story.push('running'),
      succeed: async () => void story.push('succeeded'),
      fail: async (code) => void story.push(`failed ${code}`),
    }),
    closeInterrupted: async () => 0,
    closeInterruptedOf: async () => 0,
  }
  const handler =
    scene.handler ??
    (async ({ input }) => (story.push('work'), { data: { text: input.text }, created: true }))
  const clock = new FakeClock()
  const dispatch = makeDispatch({
    access,
    handlers: { [given.name]: handler },
    clock,
    executor: testExecutor({
      journal,
      clock,
      feed: {
        publish:
          scene.feed ??
          (async (events) => void story.push(`published ${events.map(({ type }) => type).join()}`)),
      },
    }),
  })
  const body = async (): Promise<Body> => {
    story.push('body')
    return scene.body ?? { members: { text: 'hello' } }
  }
  const query = given.method === 'GET' ? { text: 'hello' } : {}
  return {
    answer: await dispatch({
      operation: given,
      requestId: 'r-1',
      address: '10.0.0.5',
      path: { sample: '1' },
      query,
      body,
    }),
    story,
  }
}

test('a change is stored as running before any work and closed after it [API-017, API-018]', async () => {
  const { answer, story } = await play(change)
  assert.deepEqual(story, [
    'identify',
    'caller 5',
    'locate',
    'target 7',
    'authorize',
    'body',
    'running',
    'work',
    'succeeded',
  ])
  assert.deepEqual(
    [answer.status, answer.body],
    [201, { data: { text: 'hello' }, meta: { request_id: 'r-1' } }],
  )
})

test('a read is stored once, when it ends [API-019]', async () => {
  const { answer, story } = await play(read)
  assert.deepEqual(story, ['identify', 'caller 5', 'locate', 'target 7', 'authorize', 'work', 'succeeded'])
  assert.equal(answer.status, 200)
})

test('an operation that changes only with a member is recorded as a read is without it [API-019]', async () => {
  const input = z.strictObject({ sample: z.int(), text: z.string(), write: z.boolean().optional() })
  const either = operation({ ...change, input, changesWith: 'write' })
  for (const [members, isChange] of [
    [{}, false],
    [{ write: false }, false],
    [{ write: true }, true],
  ] as const) {
    const { answer, story } = await play(either, { body: { members: { text: 'hello', ...members } } })
    assert.equal(answer.status, 201)
    assert.deepEqual(story.slice(6), isChange ? ['running', 'work', 'succeeded'] : ['work', 'succeeded'])
  }
})

test('refusals come as identity, record, grant, input; nothing runs after the first [ACC-002, ACC-004]', async () => {
  const identity = await play(change, { refuse: { identify: 'peer.identity_unknown' } })
  assert.deepEqual(identity.story, ['identify', 'failed peer.identity_unknown'])
  const record = await play(change, { refuse: { locate: 'node.not_found' } })
  assert.deepEqual(record.story.at(-1), 'failed node.not_found')
  assert.ok(!record.story.includes('authorize'))
  const grant = await play(change, {
    refuse: { authorize: 'node_access.required' },
    body: parseBody(Buffer.from('[')),
  })
  assert.deepEqual(grant.story.slice(-2), ['authorize', 'failed node_access.required'])
  const input = await play(change, { body: parseBody(Buffer.from('[')) })
  assert.deepEqual(input.story.slice(-2), ['body', 'failed validation.failed'])
})

test('a grant that the body names is checked before the body is judged [ACC-004]', async () => {
  for (const access of ['bodyNode', 'bodyTarget', 'bodyRoute', 'routeTarget'] as const) {
    const named = operation({ ...change, name: 'sample:named', access })
    const { story } = await play(named, {
      refuse: { authorize: 'node_access.required' },
      body: parseBody(Buffer.from('[')),
    })
    const order = ['body', 'locate', 'target 7', 'authorize', 'failed node_access.required']
    assert.deepEqual(story.slice(-5), order, access)
  }
})

test('an unexpected error shows nothing of itself [API-011]', async () => {
  const { answer, story } = await play(change, {
    handler: () => Promise.reject(new Error('canary: /root/.ssh')),
  })
  assert.equal(answer.status, 500)
  assert.ok(!JSON.stringify(answer.body).includes('canary'))
  assert.equal(story.at(-1), 'failed http.500')
})

test('a failed outcome keeps its code and details', async () => {
  const { answer, story } = await play(change, {
    handler: () => Promise.reject(fail('node.unreachable', { details: { node: { id: 7, name: 'db-1' } } })),
  })
  assert.deepEqual(answer.body, {
    error: {
      code: 'node.unreachable',
      message: 'The Node does not answer over SSH.',
      details: { node: { id: 7, name: 'db-1' } },
      request_id: 'r-1',
    },
  })
  assert.equal(story.at(-1), 'failed node.unreachable')
})

const lines = async (answer: Answer): Promise<unknown[]> => Array.fromAsync(answer.lines ?? [])

test('a stream sends its lines as they come, the result last [GW-023]', async () => {
  const { answer } = await play(stream, {
    handler: async ({ call }) => {
      await call.emit({ step: 1 })
      await call.emit({ step: 2 })
      return { data: { done: true } }
    },
  })
  assert.deepEqual(await lines(answer), [{ step: 1 }, { step: 2 }, { done: true }])
})

test('a stream that fails before its first line is an ordinary refusal, after it the error is the last line', async () => {
  const before = await play(stream, { handler: () => Promise.reject(fail('node.not_active')) })
  assert.deepEqual([before.answer.status, before.answer.lines], [409, undefined])
  const after = await play(stream, {
    handler: async ({ call }) => {
      await call.emit({ step: 1 })
      throw fail('node.unreachable')
    },
  })
  const [first, last] = await lines(after.answer)
  assert.deepEqual(first, { step: 1 })
  assert.deepEqual(last, {
    type: 'error',
    status: 502,
    error: { code: 'node.unreachable', message: 'The Node does not answer over SSH.', request_id: 'r-1' },
  })
})

test('a reader that goes away ends no work', async () => {
  let finished = false
  const { answer } = await play(stream, {
    handler: async ({ call }) => {
      for (let step = 0; step < 5; step += 1) await call.emit({ step })
      finished = true
      return { data: {} }
    },
  })
  for await (const line of answer.lines ?? []) {
    assert.deepEqual(line, { step: 0 })
    break
  }
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(finished, true)
})

test('a raw answer has no envelope', async () => {
  const { answer } = await play(raw, { handler: async () => ({ data: 'plain' }) })
  assert.deepEqual([answer.status, answer.body], [200, 'plain'])
})

const removed = { id: 7, name: 'db-1' }

test('what changed is reported after it is on record and before it is answered [EV-012, EV-083]', async () => {
  const { story } = await play(change, {
    handler: async ({ call }) => {
      call.event('node.deleted', removed)
      return { data: { text: 'gone' } }
    },
  })
  assert.deepEqual(story.slice(-2), ['succeeded', 'published node.deleted'])
  const feed = Promise.withResolvers<void>()
  let answered = false
  const waiting = play(change, {
    feed: () => feed.promise,
    handler: async ({ call }) => (call.event('node.deleted', removed), { data: { text: 'gone' } }),
  }).then(() => (answered = true))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(answered, false)
  feed.resolve()
  await waiting
})

test('a failed request reports nothing of what it recorded before, and one without a change asks no feed [EV-083, EV-086]', async () => {
  const failed = await play(change, {
    handler: async ({ call }) => {
      call.event('node.deleted', removed)
      throw fail('node.unreachable')
    },
  })
  assert.equal(failed.story.at(-1), 'failed node.unreachable')
  assert.equal((await play(change)).story.at(-1), 'succeeded')
})

test('a feed that fails fails no request [LIM-003]', async () => {
  const { answer, story } = await play(change, {
    feed: () => Promise.reject(new Error('the socket is gone')),
    handler: async ({ call }) => (call.event('node.deleted', removed), { data: { text: 'gone' } }),
  })
  assert.equal(answer.status, 200)
  assert.equal(story.at(-1), 'succeeded')
})
