import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@fleet/contract'
import { addGrant, addInstance, addNode, addProject } from '@fleet/testing'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { type From, startTestGateway, type TestGateway } from './harness.ts'
import { withMcpClient } from './mcp-client.ts'

let fleet: TestGateway
before(async () => void (fleet = await startTestGateway()))
after(() => fleet[Symbol.asyncDispose]())

const connected = <T>(path: string, from: From, work: (client: Client) => Promise<T>): Promise<T> =>
  withMcpClient(fleet, { path, from }, work)

/** What the tools answer, as far as these tests read it. */
interface Answer {
  readonly data: readonly unknown[]
  readonly meta: { readonly request_id: string }
  readonly status: number
  readonly error: { readonly code: string }
  readonly tools: ReadonlyArray<{ readonly name: string; readonly annotations: object }>
  readonly more?: readonly string[]
  readonly matched: string
  readonly total: number
  readonly truncated: boolean
  readonly results: ReadonlyArray<{ readonly is_error: boolean }>
  readonly ran: number
}

const textOf = (result: Awaited<ReturnType<Client['callTool']>>): { is_error: boolean; value: Answer } => {
  const [first] = result.content as Array<{ type: string; text: string }> // Tools of the gateway answer one text.
  return { is_error: result.isError === true, value: JSON.parse(first?.text ?? 'null') as Answer } // A missing member fails the assertion that reads it.
}

test('every operation is a tool with its marks, on one page [MCP-001, MCP-005, MCP-007]', async () => {
  const { tools, nextCursor } = await connected('/mcp', 'gateway', (client) => client.listTools())
  assert.equal(nextCursor, undefined)
  const expected = catalogue.filter(({ tool }) => tool !== false).map(({ name }) => name.replaceAll(':', '-'))
  assert.deepEqual(tools.map(({ name }) => name).toSorted(), expected.toSorted())
  const marks = (name: string) => tools.find((tool) => tool.name === name)?.annotations
  assert.equal(marks('instance-list')?.readOnlyHint, true)
  assert.equal(marks('instance-destroy')?.destructiveHint, true)
  assert.equal(marks('env-sync')?.readOnlyHint, false)
})

test('a tool call answers the API document, and leaves the same Activity [MCP-004, MCP-008]', async () => {
  const { value } = textOf(
    await connected('/mcp', 'gateway', (client) => client.callTool({ name: 'instance-list', arguments: {} })),
  )
  const http = await fleet.ask('GET', '/api/v1/instances')
  assert.deepEqual(value.data, http.json.data)
  const id = value.meta.request_id
  const [row] = (await fleet.ask('GET', `/api/v1/activities?request_id=${id}`)).json.data
  assert.deepEqual([row.command, row.caller_ip, row.status], ['instance:list', '127.0.0.1', 'succeeded'])
})

test('a refused call is a successful transport with status and error, with the grants of the caller [MCP-004, MCP-009]', async () => {
  const call = (client: Client) =>
    client.callTool({ name: 'node-show', arguments: { node: fleet.nodes.granted } })
  const { is_error, value } = textOf(await connected('/mcp', 'ungranted', call))
  assert.equal(is_error, true)
  const { status, error } = value
  assert.deepEqual([status, error.code], [403, 'node_access.required'])
})

test('a record that is named by its name is refused with the tools that find its id', async () => {
  const refused = async (name: string, input: Record<string, unknown>): Promise<string> => {
    const { value } = textOf(
      await connected('/mcp', 'gateway', (client) => client.callTool({ name, arguments: input })),
    )
    assert.equal(value.status, 404)
    return (value.error as { message?: string }).message ?? '' // Every error has a message.
  }
  const ways = ' `node-resolve` finds one by its name, and `node-list` lists them with their ids.'
  assert.equal(await refused('node-show', { node: 'node-1' }), `No Node has this id.${ways}`)
  assert.match(
    await refused('instance-show', { instance: 'shop/default' }),
    /`instance-resolve` finds one by its domain/,
  )
  assert.match(await refused('schedule-show', { schedule: 'nightly' }), / `schedule-list` lists them/)
  assert.equal(await refused('node-show', { node: 99_999 }), 'No Node has this id.')
})

test('a record that has no other name than the given one is refused as over HTTP', async () => {
  for (const [name, input] of [
    ['database-show', { slug: 'orders' }],
    ['database-server-show', { slug: 'orders' }],
    ['node-firewall-remove', { node: fleet.nodes.granted, name: 'web' }],
  ] as const) {
    const { value } = textOf(
      await connected('/mcp', 'gateway', (client) => client.callTool({ name, arguments: { ...input } })),
    )
    assert.equal(value.status, 404)
    assert.doesNotMatch((value.error as { message?: string }).message ?? '', /their ids/) // Every error has a message.
  }
})

test('path, query and body members stand in one object [MCP-006]', async () => {
  await fleet.ask('GET', '/api/v1/nodes')
  const { value } = textOf(
    await connected('/mcp', 'gateway', (client) =>
      client.callTool({ name: 'activity-list', arguments: { limit: 1 } }),
    ),
  )
  assert.equal(value.data.length, 1)
  const sync = textOf(
    await connected('/mcp', 'gateway', (client) =>
      client.callTool({ name: 'env-sync', arguments: { instance: '99999' } }),
    ),
  )
  assert.equal(sync.value.status, 404)
  const { id: project_id } = await addProject(fleet.store)
  const { gateway, granted } = fleet.nodes
  await addGrant(fleet.store, { id: gateway }, { id: granted })
  const instance = await addInstance(fleet.store, { project_id, node_id: granted })
  const update = textOf(
    await connected('/mcp', 'gateway', (client) =>
      client.callTool({
        name: 'env-update',
        arguments: { instance: String(instance.id), key: 'GREETING', value: 'hello' },
      }),
    ),
  )
  assert.equal(update.is_error, false, JSON.stringify(update.value))
  const stored = fleet.store.db.selectFrom('environment_values').where('instance_id', '=', instance.id)
  assert.deepEqual(await stored.select('key').execute(), [{ key: 'GREETING' }])
})

test('a refused call names every member that is wrong, and leaves the Activity of the request [MCP-004, MCP-006, MCP-009]', async () => {
  const { id: node_id } = await addNode(fleet.store)
  await addGrant(fleet.store, { id: fleet.nodes.gateway }, { id: node_id })
  const { id: project_id } = await addProject(fleet.store)
  const { id: instance } = await addInstance(fleet.store, { project_id, node_id })
  const secret = 'x\0'
  for (const [input, code, members] of [
    [{ key: 'A', value: 1 }, 'validation.failed', ['instance', 'value']],
    [{ instance, key: null, value: 'x' }, 'validation.failed', ['key']],
    [{ instance, key: 'A', value: 'x' }, undefined, []],
    [
      JSON.parse(`{"instance":${instance},"key":"A","value":"x","__proto__":{}}`),
      'validation.failed',
      ['__proto__'],
    ],
    [{ instance, key: 'A', value: secret }, 'env.configuration_invalid', []],
  ] as const) {
    const raw = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'env-update', arguments: input },
    })
    const { status, json } = await fleet.ask('POST', '/mcp', { raw })
    assert.equal(status, 200, raw)
    const { error } = JSON.parse(json.result.content[0].text)
    assert.equal(error?.code, code, raw)
    if (code === undefined) continue
    assert.deepEqual(Object.keys(error.details.errors ?? {}).toSorted(), members)
    const row = await fleet.store.db
      .selectFrom('activities')
      .select(['command', 'status', 'error_code'])
      .where('request_id', '=', error.request_id)
      .executeTakeFirst()
    assert.deepEqual(row, { command: 'env:update', status: 'failed', error_code: code })
  }
  const rows = await fleet.store.db
    .selectFrom('environment_values')
    .select('key')
    .where('instance_id', '=', instance)
    .execute()
  assert.deepEqual(rows, [{ key: 'A' }])
})

test('a client that takes JSON is answered; its request id is that of the call', async () => {
  const id = crypto.randomUUID()
  for (const accept of ['application/json', '*/*', 'application/json, text/event-stream']) {
    const answer = await fleet.ask('POST', '/mcp', {
      headers: { accept, 'x-fleet-request-id': id },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'node-list', arguments: {} } },
    })
    assert.equal(answer.status, 200, accept)
    assert.equal(answer.headers['x-fleet-request-id'], id)
    assert.equal(JSON.parse(answer.json.result.content[0].text).meta.request_id, id)
  }
})

test('there is no stream to read and no session to end, and text that is no JSON is a parse error', async () => {
  for (const method of ['GET', 'DELETE']) {
    const answer = await fleet.ask(method, '/mcp', { headers: { accept: 'text/event-stream' } })
    assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST'])
  }
  const twice = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name":"b"}}'
  const deep = `{"jsonrpc":"2.0","id":7,"method":"ping","params":${'['.repeat(64)}${']'.repeat(64)}}`
  for (const [raw, id, code] of [
    ['', null, -32_700],
    ['{"jsonrpc":', null, -32_700],
    [twice, 7, -32_600],
    [deep, 7, -32_600],
    ['[{},{"a":1,"a":2}]', null, -32_600],
  ] as const) {
    const { status, json } = await fleet.ask('POST', '/mcp', { raw })
    assert.deepEqual([status, json.jsonrpc, json.id, json.error.code], [400, '2.0', id, code], raw)
  }
})

test('what does not fit into one output is cut, and every call is reported [MCP-013]', async () => {
  await Promise.all(Array.from({ length: 200 }, () => fleet.ask('GET', '/api/v1/nodes')))
  const calls = Array.from({ length: 3 }, () => ({ name: 'activity-list', arguments: { limit: 200 } }))
  const result = await connected('/mcp/search', 'gateway', (client) =>
    client.callTool({ name: 'execute_tools', arguments: { calls } }),
  )
  assert.ok(Buffer.byteLength(JSON.stringify(result)) <= 65_536)
  const { value } = textOf(result)
  assert.equal(value.results.length, 3)
  assert.ok(JSON.stringify(result).length > 60_000)
})

test('an unknown address is refused before any listing [MCP-003]', async () => {
  const answer = await fleet.ask('POST', '/mcp', {
    from: 'unknown',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    headers: { accept: 'application/json, text/event-stream' },
  })
  assert.deepEqual([answer.status, answer.json.error.code], [403, 'peer.identity_unknown'])
})

test('search finds tools by words and browses all without any [MCP-011, MCP-013]', async () => {
  await connected('/mcp/search', 'gateway', async (client) => {
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['search_tools', 'execute_tools'],
    )
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'synchron env' } })
    const all = await client.callTool({ name: 'search_tools', arguments: {} })
    const names = (result: typeof found) => textOf(result).value.tools.map(({ name }) => name)
    const { more = [], total, truncated } = textOf(all).value
    assert.equal(truncated, true)
    assert.equal(new Set([...names(all), ...more]).size, total)
    assert.ok(names(all).length > 5 && more.includes('route-create'), more.join(' '))
    assert.ok(names(found).every((name) => name.startsWith('env-')))
    const single = await client.callTool({ name: 'search_tools', arguments: { query: 'env-import' } })
    assert.deepEqual(names(single), ['env-import'])
    assert.deepEqual(textOf(single).value.tools[0]?.annotations, { readOnlyHint: false })
    const some = await client.callTool({ name: 'search_tools', arguments: { query: 'env submarine' } })
    assert.deepEqual([textOf(found).value.matched, textOf(some).value.matched], ['all', 'some'])
    for (const result of [found, all]) assert.ok(Buffer.byteLength(JSON.stringify(result.content)) < 80_000)
  })
})

test('execute runs calls in order, stops at the first error and takes 25 at most [MCP-012]', async () => {
  await connected('/mcp/search', 'gateway', async (client) => {
    const run = (calls: unknown) => client.callTool({ name: 'execute_tools', arguments: { calls } })
    const list = { name: 'node-list' }
    const { is_error, value } = textOf(
      await run([list, { name: 'node-show', arguments: { node: 99_999 } }, list]),
    )
    const { results, ran } = value
    assert.deepEqual([is_error, ran, results.map((result) => result.is_error)], [true, 2, [false, true]])
    assert.equal(textOf(await run(Array.from({ length: 26 }, () => list))).is_error, true)
    assert.equal(textOf(await run(Array.from({ length: 25 }, () => list))).is_error, false)
  })
})

test('invalid members of the search tools are refused as the API refuses them [MCP-009]', async () => {
  const refusals = await connected('/mcp/search', 'gateway', async (client) =>
    Promise.all(
      [
        ['execute_tools', { calls: [] }],
        ['execute_tools', { calls: [{ name: 1, given: {} }] }],
        ['search_tools', { query: 'x'.repeat(201), words: 'x' }],
      ].map(
        async ([name, args]) =>
          textOf(await client.callTool({ name: String(name), arguments: args as Record<string, unknown> })), // As listed above.
      ),
    ),
  )
  assert.deepEqual(
    refusals.map(({ is_error, value }) => [is_error, value]),
    [
      { calls: ['must have at least 1 item'] },
      { 'calls.0.given': ['is not a member of this request'], 'calls.0.name': ['must be of type string'] },
      { query: ['must have at most 200 characters'], words: ['is not a member of this request'] },
    ].map((errors) => [
      true,
      {
        status: 422,
        error: {
          code: 'validation.failed',
          message: 'The request has invalid members.',
          details: { errors },
        },
      },
    ]),
  )
})
