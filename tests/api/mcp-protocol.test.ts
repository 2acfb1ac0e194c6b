import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rootCertificates } from 'node:tls'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { type Response, startTestGateway, type TestGateway } from './harness.ts'
import { withMcpClient } from './mcp-client.ts'

let fleet: TestGateway
before(async () => void (fleet = await startTestGateway()))
after(() => fleet[Symbol.asyncDispose]())

const REVISIONS = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const ENDPOINTS = ['/mcp', '/mcp/search']

const post = (body: unknown, version?: string, path = '/mcp'): Promise<Response> =>
  fleet.ask('POST', path, {
    raw: JSON.stringify(body),
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    },
  })

const rpc = (method: string, params?: unknown, id: unknown = 1): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})

/** Status, id and error code of an answer. */
const codes = ({ status, json }: Response): unknown[] => [status, json.id, json.error?.code]

const clientInfo = { name: 'test', version: '1' }
const initialize = (protocolVersion: unknown, id: unknown = 1): Record<string, unknown> =>
  rpc('initialize', { protocolVersion, capabilities: {}, clientInfo }, id)

test('every method refuses parameters that are not its own, naming the member and dumping nothing', async () => {
  const shapes = [null, [], ['node-list'], 'node-list', 7, true]
  const wrong: Array<[string, unknown, RegExp]> = [
    ...['initialize', 'ping', 'tools/list', 'tools/call'].flatMap((method) =>
      shapes.map((shape): [string, unknown, RegExp] => [method, shape, /`params`/]),
    ),
    ['tools/call', undefined, /`params\.name`: is required/],
    ['tools/call', {}, /`params\.name`: is required/],
    ['tools/call', { name: 7 }, /`params\.name`: expected string/],
    ['tools/call', { name: 'node-list', arguments: [] }, /`params\.arguments`: expected record/],
    ['tools/call', { name: 'node-list', arguments: 'x' }, /`params\.arguments`/],
    ['tools/call', { name: 'node-list', arguments: null }, /`params\.arguments`/],
    ['tools/call', { name: 'node-list', _meta: 'x' }, /`params\._meta`/],
    ['tools/list', { cursor: 7 }, /`params\.cursor`/],
    ['tools/list', { cursor: '' }, /`params\.cursor`: not issued/],
    ['tools/list', { cursor: 'bm9uZQ' }, /`params\.cursor`: not issued/],
    ['initialize', undefined, /`params\.protocolVersion`.*`params\.capabilities`.*`params\.clientInfo`/],
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {} }, /`params\.clientInfo`/],
    ['initialize', { protocolVersion: 7, capabilities: {}, clientInfo }, /`params\.protocolVersion`/],
  ]
  for (const path of ENDPOINTS)
    for (const [method, params, message] of wrong) {
      const answer = await post(rpc(method, params), undefined, path)
      assert.deepEqual(codes(answer), [200, 1, -32_602], `${method} ${JSON.stringify(params)}`)
      assert.match(answer.json.error.message, message)
      assert.doesNotMatch(answer.text, /invalid_type|\\n/)
    }
})

test('a request without parameters is answered where its method needs none', async () => {
  assert.deepEqual((await post(rpc('ping'))).json, { jsonrpc: '2.0', id: 1, result: {} })
  assert.ok((await post(rpc('tools/list'))).json.result.tools.length > 10)
  assert.ok((await post(rpc('tools/list', { _meta: { progressToken: 1 } }))).json.result.tools.length > 10)
  const call = await post(rpc('tools/call', { name: 'node-list' }))
  assert.equal(call.json.result.isError, undefined)
})

test('an unknown tool is an invalid parameter on both endpoints, one of a call inside a refused call', async () => {
  for (const [path, name] of [
    ['/mcp', 'no-such-tool'],
    ['/mcp', 'search_tools'],
    ['/mcp', 'agent-post'],
    ['/mcp', '__proto__'],
    ['/mcp/search', 'node-list'],
  ] as const)
    assert.deepEqual(codes(await post(rpc('tools/call', { name }), undefined, path)), [200, 1, -32_602], name)
  const inner = await post(
    rpc('tools/call', { name: 'execute_tools', arguments: { calls: [{ name: 'no-such-tool' }] } }),
    undefined,
    '/mcp/search',
  )
  assert.equal(inner.json.result.isError, true)
  assert.match(inner.json.result.content[0].text, /Unknown tool: no-such-tool/)
})

test('an unknown method is refused by its own code, whatever its parameters', async () => {
  for (const method of ['resources/list', 'prompts/list', 'logging/setLevel', 'tools', '', 'constructor'])
    for (const params of [undefined, {}, null, 'x'])
      assert.deepEqual(codes(await post(rpc(method, params))), [200, 1, -32_601], method)
})

test('an id comes back as it was sent; what cannot be one makes the request invalid', async () => {
  for (const id of [0, -1, 1, 9_007_199_254_740_991, '', '1', 'a-b', 'é'])
    assert.deepEqual((await post(rpc('ping', {}, id))).json, { jsonrpc: '2.0', id, result: {} })
  for (const id of [null, true, 1.5, 1e300, {}, [1]])
    assert.deepEqual(codes(await post(rpc('ping', {}, id))), [400, null, -32_600], JSON.stringify(id))
})

test('what is JSON but no message is an invalid request with the id that it has', async () => {
  for (const [body, id] of [
    [null, null],
    ['ping', null],
    [1, null],
    [{}, null],
    [{ id: 1, method: 'ping' }, 1],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 1],
    [{ jsonrpc: '2.0', id: 'x' }, 'x'],
    [{ jsonrpc: '2.0', id: 1, method: 7 }, 1],
    [{ jsonrpc: '2.0', method: null }, null],
  ] as const)
    assert.deepEqual(codes(await post(body)), [400, id, -32_600], JSON.stringify(body))
})

test('a notification or an answer is accepted without a word; a request without its id is not', async () => {
  for (const body of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', method: 'notifications/unheard-of', params: null },
    { jsonrpc: '2.0', method: 'unheard-of' },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
  ]) {
    const answer = await post(body)
    assert.deepEqual([answer.status, answer.text], [202, ''], JSON.stringify(body))
  }
  const answer = await post({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'node-list' } })
  assert.deepEqual(codes(answer), [400, null, -32_600])
  assert.match(answer.json.error.message, /tools\/call is a request and needs the member `id`/)
})

test('the version is the one asked for where it is supported, else the newest', async () => {
  for (const path of ENDPOINTS)
    for (const version of REVISIONS) {
      const { json } = await post(initialize(version), undefined, path)
      assert.deepEqual(json.result, {
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'fleet', title: 'Fleet gateway', version: 'test' },
      })
    }
  for (const version of ['1999-01-01', '2099-01-01', '', 'x'])
    assert.equal((await post(initialize(version))).json.result.protocolVersion, '2025-11-25')
})

test('a supported version header is taken, another refused, and none at `initialize` is looked at', async () => {
  for (const version of REVISIONS) assert.equal((await post(rpc('ping'), version)).status, 200, version)
  for (const version of ['1999-01-01', 'x', '2025-11-25, 2025-06-18']) {
    const answer = await post(rpc('ping'), version)
    assert.deepEqual(codes(answer), [400, null, -32_000], version)
    assert.deepEqual(answer.json.error.data.supported.toSorted(), REVISIONS)
    assert.equal((await post(initialize('2025-11-25'), version)).status, 200)
  }
})

test('a client that takes no JSON is refused', async () => {
  const headers = (accept: string) => ({ accept, 'content-type': 'application/json' })
  const status = async (accept: string): Promise<number> =>
    (await fleet.ask('POST', '/mcp', { raw: JSON.stringify(rpc('ping')), headers: headers(accept) })).status
  for (const accept of ['text/event-stream', 'text/html', 'application/jsonl', 'application/json-seq'])
    assert.equal(await status(accept), 406, accept)
  for (const accept of ['application/*', 'Application/JSON', 'text/html, application/json;q=0.9', '*/*'])
    assert.equal(await status(accept), 200, accept)
})

test('a batch is answered in order under the revision that has batches, and refused under all others', async () => {
  const messages = [
    rpc('ping', undefined, 'a'),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    rpc('tools/call', { name: 'node-list' }, 2),
    rpc('tools/call', {}, 3),
    rpc('nothing', undefined, 4),
    7,
    rpc('ping', undefined, 'a'),
    // Nothing is running that it could take back, and nothing waits for it.
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } },
  ]
  for (const version of [undefined, '2025-03-26']) {
    const { status, json } = await post(messages, version)
    assert.equal(status, 200)
    assert.deepEqual(
      json.map((answer: { id: unknown; error?: { code: number } }) => [answer.id, answer.error?.code]),
      [
        ['a', undefined],
        [2, undefined],
        [3, -32_602],
        [4, -32_601],
        [null, -32_600],
        ['a', undefined],
      ],
    )
  }
  for (const version of REVISIONS.filter((revision) => revision !== '2025-03-26')) {
    const answer = await post(messages, version)
    assert.deepEqual(codes(answer), [400, null, -32_600], version)
    assert.match(answer.json.error.message, /revision 2025-03-26/)
  }
})

test('a batch has one message to twenty-five and no `initialize`, and may ask for nothing', async () => {
  const pings = (count: number) => Array.from({ length: count }, (_, id) => rpc('ping', undefined, id))
  assert.deepEqual(codes(await post([])), [400, null, -32_600])
  assert.equal((await post(pings(25))).json.length, 25)
  assert.deepEqual(codes(await post(pings(26))), [400, null, -32_600])
  assert.deepEqual(codes(await post([initialize('2025-03-26')])), [400, null, -32_600])
  const answer = await post([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
  assert.deepEqual([answer.status, answer.text], [202, ''])
})

test('each call of a batch is an API request of its own, the first with the id of the request', async () => {
  const id = crypto.randomUUID()
  const answer = await fleet.ask('POST', '/mcp', {
    headers: { 'x-fleet-request-id': id },
    body: [1, 2].map((call) => rpc('tools/call', { name: 'node-list' }, call)),
  })
  const ids = answer.json.map(
    ({ result }: { result: { content: [{ text: string }] } }) =>
      JSON.parse(result.content[0].text).meta.request_id,
  )
  assert.equal(ids[0], id)
  assert.notEqual(ids[1], id)
})

test('the official client gets the codes, and a task that it asks for runs as a plain call', async () => {
  const code = async (work: (client: Client) => Promise<unknown>): Promise<number> => {
    try {
      await withMcpClient(fleet, { path: '/mcp' }, work)
    } catch (error) {
      if (error instanceof McpError) return error.code
      throw error
    }
    return 0
  }
  assert.equal(await code((client) => client.ping()), 0)
  assert.equal(await code((client) => client.callTool({ name: 'nothing' })), -32_602)
  assert.equal(await code((client) => client.listTools({ cursor: 'x' })), -32_602)
  assert.equal(await code((client) => client.listTools()), 0)
  const task = await post(rpc('tools/call', { name: 'node-list', task: { ttl: 1000 } }))
  assert.equal(task.json.result.content[0].type, 'text')
})

test('the official client speaks the newest revision and names it in its requests', async () => {
  const [version, info] = await withMcpClient(fleet, { path: '/mcp' }, async (client, transport) => {
    await client.ping()
    return [transport.protocolVersion, client.getServerVersion()] as const
  })
  assert.equal(version, '2025-11-25')
  assert.equal(info?.title, 'Fleet gateway')
})

test('the official client connects over streamable HTTP where it trusts the root of the fleet, and nowhere else [MCP-002]', async () => {
  for (const path of ENDPOINTS) {
    const names = await withMcpClient(fleet, { path }, async (client, transport) => {
      assert.equal(transport.protocolVersion, '2025-11-25')
      return (await client.listTools()).tools.map(({ name }) => name)
    })
    assert.ok(names.length > 0)
    const [stranger = ''] = rootCertificates
    await assert.rejects(
      withMcpClient({ url: fleet.url, ca: stranger }, { path }, async () => undefined),
      /certificate/,
    )
  }
})
