import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { catalogue } from '@fleet/contract'
import { createClient, BROWSER_OPERATIONS, routeOf } from './client.ts'
import { AnswerError, InputError } from './core.ts'
import type { HttpRequest } from './transport.ts'

const statusText = JSON.stringify({
  data: {
    name: 'gateway',
    status: 'ready',
    version: 'dev',
    runtime: { name: 'node', version: '26' },
    desired_fleet_state: null,
  },
  meta: { request_id: '00000000-0000-4000-8000-000000000001' },
})

const over = (text: string, options: { checkAnswers?: boolean } = {}) => {
  const seen: HttpRequest[] = []
  const transport = async (request: HttpRequest) => {
    seen.push(request)
    return { status: 200, chunks: new Blob([text]).stream() }
  }
  return { seen, client: createClient({ baseUrl: 'https://gateway.fleet', transport, ...options }) }
}

test('a call is typed by the catalogue', async () => {
  const { data } = await over(statusText).client.call('gateway:status', {})
  const version: string = data.runtime.version
  assert.equal(version, '26')
})

test('every operation has a route whose path parameters are members', () => {
  for (const operation of catalogue) {
    const { path, members } = routeOf(operation)
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) assert.equal(members[name ?? ''], 'path')
  }
})

test('an answer is checked only when asked', async () => {
  const wrong = '{"data":{"name":1},"meta":{}}'
  assert.equal((await over(wrong).client.call('gateway:status', {})).status, 200)
  await assert.rejects(over(wrong, { checkAnswers: true }).client.call('gateway:status', {}), AnswerError)
  assert.equal((await over(statusText, { checkAnswers: true }).client.call('gateway:status', {})).status, 200)
})

test('fetch of the platform does not follow a redirect either [GW-003]', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  try {
    await assert.rejects(
      createClient({ baseUrl: `http://127.0.0.1:${address.port}` }).call('gateway:status', {}),
      AnswerError,
    )
    assert.deepEqual(asked, ['/api/v1/gateway/status'])
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('the answer that names an Instance has at most 4,096 bytes [DEX-030]', async () => {
  const given = { instance_id: 1, project_id: 2, node_id: 3, environment: 'development' as const }
  const text = (pad: string): string => JSON.stringify({ data: given, meta: { request_id: 'x', pad } })
  const input = { directory: '/srv/apps/shop' }
  const { data } = await over(text('')).client.call('instance:resolve-directory', input)
  assert.deepEqual(data, given)
  const long = text('x'.repeat(4096))
  await assert.rejects(over(long).client.call('instance:resolve-directory', input), /more than 4096 bytes/)
  await assert.rejects(
    over(long).client.call('instance:resolve', { domain: 'a.test' }),
    /more than 4096 bytes/,
  )
})

test('an operation that answers lines is a stream, and any other one is a call', async () => {
  const { client, seen } = over(statusText)
  await assert.rejects(client.call('instance:deploy', { instance: 1 }), InputError)
  assert.throws(() => client.stream('gateway:status', {}), InputError)
  assert.deepEqual(seen, [])
})

test('what answers pages to browsers is no call of a program', async () => {
  const pages = catalogue.filter(({ kind }) => kind === 'page' || kind === 'browser').map(({ name }) => name)
  assert.deepEqual(pages.toSorted(), BROWSER_OPERATIONS)
  const { client, seen } = over('')
  for (const name of BROWSER_OPERATIONS)
    await assert.rejects(client.call(name as 'node:list', {}), InputError) // What the compiler refuses.
  assert.deepEqual(seen, [])
})

test('lines are checked too when asked', async () => {
  const lines = '{"type":"nonsense"}\n{"type":"result"}\n'
  const read = (options: { checkAnswers?: boolean }) =>
    Array.fromAsync(over(lines, options).client.stream('instance:deploy', { instance: 1 }))
  assert.equal((await read({})).length, 2)
  await assert.rejects(read({ checkAnswers: true }), AnswerError)
})

test('what cannot be sent is refused as that, and not as a gateway that cannot be reached', async () => {
  const baseUrl = 'https://gateway.fleet'
  for (const wrong of ['127.0.0.1:8443', 'localhost:8443', 'gateway.fleet', '/', ''])
    assert.throws(() => createClient({ baseUrl: wrong }), InputError, wrong)
  for (const clientName of ['Zoë’s script', 'two\nlines'])
    assert.throws(() => createClient({ baseUrl, clientName }), InputError, clientName)
  createClient({ baseUrl, clientName: 'Zoë' })
  const { client, seen } = over(statusText)
  await assert.rejects(client.call('gateway:status', {}, { requestId: '№ 1' }), InputError)
  assert.deepEqual(seen, [])
})

test('fetch of the platform has no time limit of its own: the gateway may be silent for longer', async () => {
  const name = Symbol.for('undici.globalDispatcher.2')
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, name)
  assert.ok(descriptor?.configurable !== false || descriptor.writable)
  const world = globalThis as Record<symbol, unknown> // Symbols of the platform have no types.
  const own = world[name] as { dispatch(options: object, handler: unknown): boolean } // The one of Node, as just seen.
  const limits: unknown[] = []
  const server = createServer((_, response) => void response.end(statusText))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  world[name] = {
    dispatch: (options: { headersTimeout?: number; bodyTimeout?: number }, handler: unknown) => {
      limits.push([options.headersTimeout, options.bodyTimeout])
      return own.dispatch(options, handler)
    },
  }
  try {
    const client = createClient({ baseUrl: `http://127.0.0.1:${address.port}` })
    assert.equal((await client.call('gateway:status', {})).status, 200)
    assert.deepEqual(limits, [[0, 0]])
  } finally {
    world[name] = own
    server.closeAllConnections()
    server.close()
  }
})
