import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '@fleet/contract'
import type { Incoming } from './dispatch.ts'
import { operationTools } from './mcp-tools.ts'
import { SPACE } from './probe.ts'

const caller = { address: '127.0.0.1', client: undefined, nextRequestId: () => 'id' }

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

test('a member of the path that is missing is refused by its name, and nothing is asked', async () => {
  const { call } = operationTools({ catalogue, dispatch: async () => assert.fail('it was asked') })
  const answer = await call('instance-show', {}, caller)
  assert.equal(answer?.isError, true)
  assert.match(JSON.stringify(answer.content), /instance.*is required/)
  assert.equal(await call('no-such-tool', {}, caller), undefined)
})
