import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerMessage } from './mcp-methods.ts'
import type { McpCaller } from './mcp-tools.ts'

test('a fault of a tool is an internal error without what it was about', async () => {
  const box = { tools: [], call: () => Promise.reject(new Error('secret text of a fault')) }
  const caller: McpCaller = {
    address: '127.0.0.1',
    client: undefined,
    gone: new AbortController().signal,
    nextRequestId: () => 'id',
    inTime: (call) => call(),
  }
  const answer = await answerMessage(
    { kind: 'request', id: 7, method: 'tools/call', params: { name: 'node-list' } },
    { box, caller, version: 'test' },
  )
  assert.deepEqual([answer?.id, answer?.error?.code, answer?.result], [7, -32_603, undefined])
  assert.doesNotMatch(JSON.stringify(answer), /secret text/)
})
