import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, fail } from '@fleet/contract'
import type { Incoming } from './dispatch.ts'
import { type McpCaller, operationTools } from './mcp-tools.ts'
import { SPACE } from './probe.ts'

const caller: McpCaller = {
  address: '127.0.0.1',
  client: undefined,
  gone: new AbortController().signal,
  nextRequestId: () => 'id',
  inTime: (call) => call(),
}

test('an operation that answers lines is a tool that answers them as one list, without what only probes a client', async () => {
  const asked: Incoming[] = []
  async function* lines() {
    yield { type: 'phase', phase: 'build' }
    yield SPACE
    yield { type: 'done' }
  }
  const { call } = operationTools({
    catalogue,
    dispatch: async (incoming) => {
      asked.push(incoming)
      return { status: 200, body: undefined, lines: lines() }
    },
  })
  const answer = await call('instance-deploy', { instance: 3 }, caller)
  assert.deepEqual(
    asked.map(({ operation, path }) => [operation.name, path]),
    [['instance:deploy', { instance: '3' }]],
  )
  assert.deepEqual(answer?.content, [
    { type: 'text', text: '{"events":[{"type":"phase","phase":"build"},{"type":"done"}]}' },
  ])
})

test('a deployment that fails after its lines have begun is a failed call [MCP-009, MCP-012]', async () => {
  const answered = async (last: unknown) => {
    async function* lines() {
      yield { type: 'phase', phase: 'build' }
      yield last
    }
    const dispatch = async () => ({ status: 200, body: undefined, lines: lines() })
    return (await operationTools({ catalogue, dispatch }).call('instance-deploy', { instance: 3 }, caller))
      ?.isError
  }
  assert.equal(await answered({ type: 'result', status: 'failed' }), true)
  assert.equal(await answered({ type: 'error', code: 'http.500' }), true)
  assert.equal(await answered({ type: 'result', status: 'succeeded' }), undefined)
})

/** What the API was asked by one call. */
async function asked(name: string, input: Record<string, unknown>, given: Partial<McpCaller> = {}) {
  const requests: Incoming[] = []
  const dispatch = async (incoming: Incoming) => {
    requests.push(incoming)
    return { status: 200, body: '' }
  }
  await operationTools({ catalogue, dispatch }).call(name, input, { ...caller, ...given })
  const [request, ...more] = requests
  assert.ok(request && more.length === 0)
  return request
}

test('a member that names a record is text or of its own type: nothing else is made a name [MCP-004, MCP-006]', async () => {
  const refused = async (name: string, input: Record<string, unknown>) =>
    (await asked(name, input)).unusable?.details?.['errors']
  assert.deepEqual(await refused('env-update', { instance: 1, value: 1 }), {
    key: ['is required'],
    value: ['must be of type string'],
  })
  for (const key of [null, true, 5, ['A'], { A: 1 }])
    assert.deepEqual(await refused('env-update', { instance: 1, key, value: 'x' }), {
      key: ['must be of type string'],
    })
  assert.deepEqual(await refused('database-destroy', { slug: null }), { slug: ['must be of type string'] })
  assert.deepEqual(await refused('activity-list', { command: null, limit: [1] }), {
    command: ['must be of type string'],
    limit: ['must be of type integer'],
  })
  assert.deepEqual(await refused('node-show', { node: 'a\0b' }), { node: ['must not contain a NUL'] })
  for (const [name, input] of [
    ['env-update', { instance: 'shop.test', key: 'A', value: null }],
    ['env-update', { instance: '1', key: 'A' }],
    ['activity-list', { limit: '5', nosuch: 7 }],
    ['activity-list', { limit: 5 }],
  ] as const)
    assert.equal(await refused(name, input), undefined)
})

test('texts are judged as over HTTP by the operation that takes them [MCP-004]', async () => {
  const bodyOf = async (name: string, input: Record<string, unknown>) => (await asked(name, input)).body()
  assert.deepEqual(await bodyOf('env-update', { instance: 1, key: 'A', value: 'x\0' }), {
    members: { value: 'x\0' },
  })
  const { error } = await bodyOf('node-rename', { node: 1, name: 'x\0' })
  assert.deepEqual(error?.details, { errors: { name: ['must not contain a NUL'] } })
})

test('a query ends with its client, a deployment runs to its end, and the version of the client is told [MCP-010]', async () => {
  const { signal: gone } = new AbortController()
  const given = { gone, clientVersion: '1.2.3' }
  const query = await asked('database-query', { slug: 'shop', sql: 'select 1' }, given)
  assert.deepEqual([query.gone, query.clientVersion], [gone, '1.2.3'])
  assert.equal((await asked('instance-deploy', { instance: 3 }, given)).gone, undefined)
})

test('a call that has no time left is refused under the id of its request', async () => {
  const { call } = operationTools({ catalogue, dispatch: async () => assert.fail('it was asked') })
  const inTime: McpCaller['inTime'] = () => Promise.reject(fail('http.draining'))
  const answer = await call('instance-show', { instance: 1 }, { ...caller, inTime })
  assert.equal(answer?.isError, true)
  const [first] = answer.content
  const { status, error } = JSON.parse(first?.type === 'text' ? first.text : '')
  assert.deepEqual([status, error.code, error.request_id], [503, 'http.draining', 'id'])
  assert.equal(await call('no-such-tool', {}, caller), undefined)
})
