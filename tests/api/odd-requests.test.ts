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
function raw({ url, ca }: TestGateway, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca })
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
    socket.write(text)
  })
}

/** Status of a request over HTTP/2, whose methods no parser knows. */
function statusOverHttp2({ url, ca }: TestGateway, method: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(url, { ca })
    session.on('error', reject)
    const stream = session.request({ ':method': method, ':path': path })
    stream.on('error', reject)
    stream.on('response', (headers) => {
      stream.resume()
      session.close()
      resolve(headers[':status'])
    })
  })
}

test('a media type that cannot be read is refused like any other, and tells a stranger nothing', async () => {
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
  for (const path of ['/mcp', '/docs', '/openapi.json', '/healthz']) {
    const answer = await gateway.ask('PUT', path)
    assert.equal(codeOf(answer), 'http.405', path)
    assert.equal(answer.headers['allow'], path === '/mcp' ? 'POST' : 'GET')
  }
})

test('a Host that is none costs no request of MCP', async () => {
  await using gateway = await startTestGateway()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const head = 'content-type: application/json\r\naccept: application/json\r\nconnection: close'
  const text = `POST /mcp HTTP/1.1\r\nhost: [\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  assert.match(await raw(gateway, text), /^HTTP\/1\.1 200 /)
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
