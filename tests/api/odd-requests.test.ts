import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { ADDRESS, startTestGateway, type TestGateway } from './harness.ts'

const codeOf = ({
  json,
}: {
  readonly json: { readonly error?: { readonly code?: string } }
}): string | undefined => json?.error?.code

/** The answer to a request of HTTP/1.1 written by hand. */
function raw(
  { url, ca }: TestGateway,
  text: string,
  localAddress: string = ADDRESS.gateway,
): Promise<string> {
  return new Promise((resolve) => {
    // Node passes it on, though the type of TLS lacks it.
    const at = { host: '127.0.0.1', port: Number(new URL(url).port), localAddress }
    const socket = connect({ ...at, ca })
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
    socket.write(text)
  })
}

/** Status and code of a request under this host name. */
async function underHost(gateway: TestGateway, host: string, path = '/healthz', from?: string) {
  const text = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
  const answer = await raw(gateway, text, from)
  return [/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1], /"code":"([\w.]+)"/.exec(answer)?.[1]].join(' ')
}

/** Status of a request over HTTP/2, whose methods no parser knows. */
function statusOverHttp2(
  { url, ca }: TestGateway,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(url, { ca })
    session.on('error', reject)
    const stream = session.request({ ':method': method, ':path': path, ...headers })
    stream.on('error', reject)
    stream.on('response', (headers) => {
      stream.resume()
      session.close()
      resolve(headers[':status'])
    })
  })
}

test('a media type that cannot be read is refused like any other, and reveals nothing to a stranger', async () => {
  await using gateway = await startTestGateway()
  const headers = { 'content-type': 'a' }
  const path = '/api/v1/clusters'
  assert.equal(codeOf(await gateway.ask('POST', path, { raw: '{}', headers })), 'http.415')
  const stranger = await gateway.ask('POST', path, { raw: '{}', headers, from: 'unknown' })
  assert.equal(codeOf(stranger), 'peer.identity_unknown')
  assert.ok(ADDRESS.unknown)
})

test('a method that nothing has is 405 where the path is something, 404 elsewhere', async () => {
  await using gateway = await startTestGateway()
  assert.equal(await statusOverHttp2(gateway, 'FOO', '/api/v1/nodes'), 405)
  assert.equal(await statusOverHttp2(gateway, 'FOO', '/nothing'), 404)
  assert.equal(await statusOverHttp2(gateway, 'QUERY', '/api/v1/nodes'), 405)
  const query = await gateway.ask('QUERY', '/api/v1/nodes', { from: 'gateway' })
  assert.deepEqual([codeOf(query), query.headers['allow']], ['http.405', 'POST, GET, HEAD'])
  assert.equal(codeOf(await gateway.ask('QUERY', '/nothing')), 'http.404')
  const stranger = await gateway.ask('QUERY', '/api/v1/nodes', { from: 'unknown' })
  assert.equal(codeOf(stranger), 'peer.identity_unknown')
  for (const path of ['/mcp', '/docs', '/openapi.json', '/healthz']) {
    const answer = await gateway.ask('PUT', path)
    assert.equal(codeOf(answer), 'http.405', path)
    assert.equal(answer.headers['allow'], path === '/mcp' ? 'POST' : 'GET, HEAD')
    if (path !== '/mcp') assert.equal((await gateway.ask('HEAD', path)).status, 200)
  }
})

test('a Process has no users of databases: an endpoint of an older design is 404 [PROC-017]', async () => {
  await using gateway = await startTestGateway()
  const body = { username: 'reader', password: 'canary', read_only: true }
  const answer = await gateway.ask('POST', '/api/v1/processes/1/database-users', { body })
  assert.deepEqual([answer.status, codeOf(answer)], [404, 'http.404'])
})

const PATHS = [
  '/healthz',
  '/docs',
  '/openapi.json',
  '/mcp',
  '/mcp/search',
  '/api/v1/gateway/status',
  '/nothing',
]

test('a request under a foreign host name is refused, whatever it asks for and whoever asks', async () => {
  await using gateway = await startTestGateway()
  for (const from of [ADDRESS.gateway, ADDRESS.unknown])
    for (const path of PATHS)
      assert.equal(await underHost(gateway, 'evil.example:8443', path, from), '421 http.421', path)
})

test('a refusal of the host has a request id, the one that the client sent if it is a UUID [API-009, API-015]', async () => {
  await using fleet = await startTestGateway()
  const id = '11111111-2222-4333-8444-555555555555'
  const asked = `GET /healthz HTTP/1.1\r\nhost: evil.example\r\nx-fleet-request-id: ${id}\r\nconnection: close\r\n\r\n`
  const answer = await raw(fleet, asked)
  assert.match(answer, /^HTTP\/1\.1 421 /)
  assert.equal(/\r\nx-fleet-request-id: ([^\r]*)/i.exec(answer)?.[1], id)
  assert.equal(/"request_id":"([^"]*)"/.exec(answer)?.[1], id)
  const other = await raw(fleet, asked.replace(id, 'none'))
  assert.match(/\r\nx-fleet-request-id: ([^\r]*)/i.exec(other)?.[1] ?? '', /^[0-9a-f-]{36}$/)
})

test('over HTTP/2 neither of the two places of a host may be foreign', async () => {
  await using gateway = await startTestGateway()
  const path = '/api/v1/gateway/status'
  assert.equal(await statusOverHttp2(gateway, 'GET', path), 200)
  assert.equal(await statusOverHttp2(gateway, 'GET', path, { ':authority': 'evil.example' }), 421)
  assert.equal(await statusOverHttp2(gateway, 'GET', path, { host: 'evil.example' }), 421)
})

test('the gateway answers under its names and the address that the client reached', async () => {
  await using gateway = await startTestGateway()
  for (const host of ['gateway.fleet', 'GATEWAY.fleet.:8443', '127.0.0.1', '127.0.0.1:1'])
    assert.equal(await underHost(gateway, host), '200 ', host)
  for (const host of [
    'fleet',
    'xgateway.fleet',
    'gateway.fleet.evil.example',
    '127.0.0.2',
    '[::1]',
    'localhost',
  ])
    assert.equal(await underHost(gateway, host), '421 http.421', host)
})

test('a Host that is none is refused as a request that is none', async () => {
  await using gateway = await startTestGateway()
  for (const host of ['[', 'a b', 'a@gateway.fleet', '[gateway.fleet]', '', 'a:b'])
    assert.equal(await underHost(gateway, host), '400 http.400', host)
})

test('a request without a Host gets an answer of the usual form', async () => {
  await using gateway = await startTestGateway()
  const answer = await raw(gateway, 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n')
  assert.match(answer, /^HTTP\/1\.1 400 [^]*"code":"http\.400"/)
})

test('a path that holds a NUL names nothing', async () => {
  await using gateway = await startTestGateway()
  assert.equal((await gateway.ask('GET', '/api/v1/clusters/%00')).status, 404)
})

test('a text of the registry is answered as it stands', async () => {
  await using gateway = await startTestGateway()
  const refused = await gateway.ask('GET', '/api/v1/agent/realtime', { from: 'granted' })
  assert.match(refused.json.error.message, /as a bearer token\.$/)
})
