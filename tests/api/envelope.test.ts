import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { after, before, test } from 'node:test'
import { startTestGateway, type TestGateway } from './harness.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
let fleet: TestGateway
before(async () => void (fleet = await startTestGateway()))
after(() => fleet[Symbol.asyncDispose]())

test('a read answers 200 with data and the request id, in body and header [API-008, API-009, API-015, GW-021]', async () => {
  const { status, json, headers } = await fleet.ask('GET', '/api/v1/nodes')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(json).toSorted(), ['data', 'meta'])
  assert.match(json.meta.request_id, UUID)
  assert.equal(headers['x-fleet-request-id'], json.meta.request_id)
  assert.match(String(headers['content-type']), /^application\/json/)
})

test("a client's UUID is the request id in header, body, error and Activity [API-013, API-014, API-016, GW-015]", async () => {
  const id = crypto.randomUUID()
  const { status, json, headers } = await fleet.ask('GET', '/api/v1/nodes/99999', {
    headers: { 'x-fleet-request-id': id },
  })
  assert.equal(status, 404)
  assert.equal(headers['x-fleet-request-id'], id)
  assert.equal(json.error.request_id, id)
  const rows = (await fleet.ask('GET', `/api/v1/activities?request_id=${id}`)).json.data
  assert.deepEqual(
    rows.map((row: { command: string; error_code: string }) => [row.command, row.error_code]),
    [['node:show', 'node.not_found']],
  )
})

test('anything but a UUID is replaced by a fresh id, and the answer shows which [GW-015]', async () => {
  for (const sent of ['42', 'x'.repeat(36), "'; drop table activities; --"]) {
    const { json } = await fleet.ask('GET', '/api/v1/gateway/status', {
      headers: { 'x-fleet-request-id': sent },
    })
    assert.match(json.meta.request_id, UUID)
    assert.notEqual(json.meta.request_id, sent)
  }
})

test('the client name is stored with the Activity [GW-016]', async () => {
  const id = crypto.randomUUID()
  await fleet.ask('GET', '/api/v1/nodes', {
    headers: { 'x-fleet-request-id': id, 'x-fleet-client': 'curl-script' },
  })
  const [row] = (await fleet.ask('GET', `/api/v1/activities?request_id=${id}`)).json.data
  assert.equal(row.properties.client, 'curl-script')
})

test('the list of Activities has the latest first and never the request for itself [ACT-005]', async () => {
  const [mine, other] = [crypto.randomUUID(), crypto.randomUUID()]
  await fleet.ask('GET', '/api/v1/nodes/99999', { headers: { 'x-fleet-request-id': other } })
  const list = async () =>
    (await fleet.ask('GET', '/api/v1/activities', { headers: { 'x-fleet-request-id': mine } })).json.data.map(
      (row: { request_id: string }) => row.request_id,
    )
  const first = await list()
  assert.equal(first[0], other)
  assert.ok(!first.includes(mine))
  assert.deepEqual((await list()).slice(0, 2), [mine, other])
})

test('an unknown path is http.404, a wrong method http.405 with the allowed ones', async () => {
  const missing = await fleet.ask('GET', '/api/v1/nowhere')
  assert.deepEqual([missing.status, missing.json.error.code], [404, 'http.404'])
  const wrong = await fleet.ask('DELETE', '/api/v1/nodes')
  assert.deepEqual(
    [wrong.status, wrong.json.error.code, wrong.headers['allow']],
    [405, 'http.405', 'POST, GET, HEAD'],
  )
})

test('an unreadable or overlong path is an unknown path; a stranger learns nothing of either [GW-006]', async () => {
  for (const path of ['/api/v1/nodes/%zz', `/api/v1/nodes/${'1'.repeat(9000)}`, '/api/v1/nowhere']) {
    const known = await fleet.ask('GET', path)
    assert.deepEqual([known.status, known.json.error.code], [404, 'http.404'], path.slice(0, 40))
    assert.equal(known.headers['x-fleet-request-id'], known.json.error.request_id)
    const stranger = await fleet.ask('GET', path, { from: 'unknown' })
    assert.deepEqual([stranger.status, stranger.json.error.code], [403, 'peer.identity_unknown'])
  }
  const method = await fleet.ask('DELETE', '/api/v1/nodes', { from: 'unknown' })
  assert.deepEqual([method.status, method.json.error.code], [403, 'peer.identity_unknown'])
})

test('a head that is too large, or no HTTP, is refused in the usual form', async () => {
  const large = await fleet.ask('GET', '/api/v1/nodes', { headers: { 'x-large': 'x'.repeat(20_000) } })
  assert.deepEqual([large.status, large.json.error.code], [431, 'http.431'])
  const { connect: connectTls } = await import('node:tls')
  const { hostname, port } = new URL(fleet.url)
  const socket = connectTls({ host: hostname, port: Number(port), ca: fleet.ca })
  socket.write('NONSENSE\r\n\r\n')
  const text = (await Array.fromAsync(socket.setEncoding('utf8'))).join('')
  assert.match(text, /^HTTP\/1\.1 400 /)
  assert.equal(JSON.parse(text.split('\r\n\r\n')[1] ?? '').error.code, 'http.400')
})

test('many refused members, or one with a long name, keep the form of the refusal [GW-028]', async () => {
  const path = `/api/v1/nodes/${fleet.nodes.gateway}/name`
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`member_${index}`, 1]))
  for (const body of [many, { ['x'.repeat(20_000)]: 1 }]) {
    const { status, json } = await fleet.ask('PATCH', path, { body })
    assert.equal(status, 422)
    assert.ok(Object.values(json.error.details.errors).every((messages) => Array.isArray(messages)))
  }
})

test('a duplicate member, an unknown one, a non-object and an oversized body change nothing [GW-013, GW-027]', async () => {
  const { nodes } = fleet
  const path = `/api/v1/nodes/${nodes.gateway}/name`
  const cases: Array<[string, number, string]> = [
    ['{"name":"a","name":"b"}', 422, 'validation.failed'],
    ['{"name":"a","path":"/"}', 422, 'validation.failed'],
    ['["name"]', 422, 'validation.failed'],
    ['{"name":3}', 422, 'validation.failed'],
    ['{"name":', 422, 'validation.failed'],
    [JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) }), 413, 'http.413'],
  ]
  for (const [raw, status, code] of cases) {
    const answer = await fleet.ask('PATCH', path, { raw })
    assert.deepEqual([answer.status, answer.json.error.code], [status, code], raw.slice(0, 40))
  }
  assert.equal((await fleet.ask('GET', `/api/v1/nodes/${nodes.gateway}`)).json.data.name, 'gateway')
})

test('a body of another media type and a page of another origin are refused before any change [GW-014]', async () => {
  const path = `/api/v1/nodes/${fleet.nodes.gateway}/name`
  const plain = await fleet.ask('PATCH', path, {
    raw: '{"name":"evil"}',
    headers: { 'content-type': 'text/plain' },
  })
  assert.deepEqual([plain.status, plain.json.error.code], [415, 'http.415'])
  assert.match(String(plain.headers['content-type']), /^application\/json/)
  const foreign = await fleet.ask('PATCH', path, {
    body: { name: 'evil' },
    headers: { origin: 'https://evil.example' },
  })
  assert.deepEqual([foreign.status, foreign.json.error.code], [403, 'http.403'])
  const site = await fleet.ask('PATCH', path, {
    body: { name: 'evil' },
    headers: { 'sec-fetch-site': 'cross-site' },
  })
  assert.equal(site.status, 403)
})

test('HTTP/2 gives the same answers as HTTP/1.1', async () => {
  const session = connect(fleet.url, { ca: fleet.ca })
  try {
    const get = (
      path: string,
      headers: Record<string, string> = {},
      body?: string,
    ): Promise<{ status: number; body: unknown; id: unknown }> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':path': path, ...headers })
        let text = ''
        let head: Record<string, unknown> = {}
        stream.on('response', (received) => (head = received))
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        stream.on('end', () =>
          resolve({
            status: Number(head[':status']),
            body: JSON.parse(text),
            id: head['x-fleet-request-id'],
          }),
        )
        stream.on('error', reject)
        stream.end(body)
      })
    const id = crypto.randomUUID()
    const two = await get('/api/v1/nodes', { 'x-fleet-request-id': id })
    const one = await fleet.ask('GET', '/api/v1/nodes', { headers: { 'x-fleet-request-id': id } })
    assert.deepEqual(two, { status: one.status, body: one.json, id })
    const patch = { ':method': 'PATCH', 'content-type': 'application/json', 'x-fleet-request-id': id }
    const path = `/api/v1/nodes/${fleet.nodes.gateway}/name`
    const raw = '{"name":"a","name":"b"}'
    const refused = await get(path, patch, raw)
    const refusedOne = await fleet.ask('PATCH', path, { raw, headers: { 'x-fleet-request-id': id } })
    assert.deepEqual(refused, { status: refusedOne.status, body: refusedOne.json, id })
    const large = await get(path, patch, JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) }))
    assert.equal(large.status, 413)
    const head = await get('/api/v1/nodes', { 'x-large': 'x'.repeat(20_000) })
    assert.deepEqual([head.status, (head.body as { error: { code: string } }).error.code], [431, 'http.431']) // The error envelope.
  } finally {
    session.close()
  }
})

test('liveness needs no identity and shows no data', async () => {
  const { status, text } = await fleet.ask('GET', '/healthz', { from: 'unknown' })
  assert.deepEqual([status, text], [200, 'ok\n'])
})

test('status and trust need no identity; the fingerprint is that of the root [GW-006, GW-052, API-003]', async () => {
  const status = await fleet.ask('GET', '/api/v1/gateway/status', { from: 'unknown' })
  assert.equal(status.status, 200)
  assert.deepEqual(Object.keys(status.json.data).toSorted(), [
    'desired_fleet_state',
    'name',
    'runtime',
    'status',
    'version',
  ])
  assert.equal(status.json.data.status, 'ready')
  const trust = await fleet.ask('GET', '/api/v1/ca/root', { from: 'unknown' })
  const { X509Certificate } = await import('node:crypto')
  const root = new X509Certificate(trust.json.data.root_ca)
  assert.equal(trust.json.data.sha256, root.fingerprint256.replaceAll(':', '').toLowerCase())
})

test('the description is OpenAPI 3.1, version v1, and its page needs no other host [API-024]', async () => {
  const { json } = await fleet.ask('GET', '/openapi.json')
  assert.match(json.openapi, /^3\.1\./)
  assert.equal(json.info.version, 'v1')
  const page = await fleet.ask('GET', '/docs')
  assert.doesNotMatch(page.text, /https?:\/\//)
  assert.equal((await fleet.ask('GET', '/docs/rapidoc-min.js')).status, 200)
})

test('the page of the description cannot be framed, sends nothing of its own and runs no operation', async () => {
  const { headers, text } = await fleet.ask('GET', '/docs')
  const policy = String(headers['content-security-policy']).split('; ')
  for (const rule of [
    "default-src 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "script-src 'self'",
  ])
    assert.ok(policy.includes(rule), rule)
  assert.equal(headers['x-frame-options'], 'DENY')
  assert.match(text, /allow-try="false"/)
})

test('a burst of requests of one peer is answered as if each were alone: there are no rate limits [API-025]', async () => {
  const [reads, refusals] = await Promise.all([
    Promise.all(Array.from({ length: 120 }, () => fleet.ask('GET', '/api/v1/nodes'))),
    Promise.all(Array.from({ length: 30 }, () => fleet.ask('GET', '/api/v1/nodes/99999'))),
  ])
  assert.deepEqual(new Set(reads.map(({ status }) => status)), new Set([200]))
  assert.deepEqual(new Set(refusals.map(({ json }) => json.error.code)), new Set(['node.not_found']))
})
