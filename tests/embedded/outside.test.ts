import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, randomUUID, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { connect } from 'node:tls'
import { ask, type Ask, asObject, dataOf, errorOf, objectOf, type Response, rowsOf } from './ask.ts'
import { curl } from './curl.ts'
import { type EmbeddedFleet, startEmbedded } from './harness.ts'

const NO_NODE = '127.9.9.9'
const NODE_2 = '127.44.0.12'

type Send = (method: string, path: string, options?: Ask) => Promise<Response>

const hasCurl = spawnSync('curl', ['--version']).status === 0

for (const program of ['node:https', 'curl']) {
  describe(`with ${program} and the certificate file alone`, { skip: program === 'curl' && !hasCurl }, () => {
    let fleet: EmbeddedFleet
    let send: Send
    before(async () => {
      fleet = await startEmbedded({ sample: true })
      const { base_url, ca_file } = fleet.announced
      const ca = readFileSync(ca_file, 'utf8')
      send = (method, path, options = {}) =>
        program === 'curl'
          ? curl(base_url, ca_file, method, path, options)
          : ask(base_url, ca, method, path, options)
    })
    after(() => fleet[Symbol.asyncDispose]())

    const codeOf = async (method: string, path: string, options?: Ask): Promise<string> => {
      const response = await send(method, `/api/v1${path}`, options)
      return `${response.status} ${errorOf(response)['code']}`
    }
    const projectCount = async (): Promise<number> => rowsOf(await send('GET', '/api/v1/projects')).length

    test('anybody reads status and trust, and the root is the one that is trusted [GW-006]', async () => {
      const status = await send('GET', '/api/v1/gateway/status', { from: NO_NODE })
      assert.equal(status.status, 200)
      assert.equal(dataOf(status)['status'], 'ready')
      const trust = dataOf(await send('GET', '/api/v1/ca/root', { from: NO_NODE }))
      const root = new X509Certificate(String(trust['root_ca']))
      assert.equal(createHash('sha256').update(root.raw).digest('hex'), trust['sha256'])
      assert.equal(
        root.fingerprint256,
        new X509Certificate(readFileSync(fleet.announced.ca_file)).fingerprint256,
      )
    })

    test('the certificate covers the name gateway.fleet and the address [GW-002]', async () => {
      const { hostname, port } = new URL(fleet.announced.base_url)
      for (const servername of ['gateway.fleet', '']) {
        const socket = connect({
          host: hostname,
          port: Number(port),
          ca: readFileSync(fleet.announced.ca_file),
          servername,
        })
        await once(socket, 'secureConnect')
        assert.equal(socket.authorized, true)
        socket.destroy()
      }
    })

    test('the OpenAPI document is served', async () => {
      const document = objectOf(await send('GET', '/openapi.json'))
      assert.match(String(document['openapi']), /^3\.1\./)
      const paths = Object.keys(asObject(document['paths'], 'paths'))
      assert.ok(paths.some((path) => path.endsWith('/instances/{instance}/environment/sync')))
    })

    test('an address of no Node is refused [ACC-001]', async () => {
      for (const path of ['/nodes', '/instances/1', '/activities'])
        assert.equal(await codeOf('GET', path, { from: NO_NODE }), '403 peer.identity_unknown')
    })

    test('a Node without a grant is refused an Instance of another, with both named [GW-008]', async () => {
      const refusal = await send('GET', '/api/v1/instances/1', { from: NODE_2 })
      assert.equal(refusal.status, 403)
      assert.equal(errorOf(refusal)['code'], 'node_access.required')
      assert.deepEqual(errorOf(refusal)['details'], {
        consumer_node: { id: fleet.nodeId('node-2'), name: 'node-2' },
        serving_node: { id: fleet.nodeId('node-1'), name: 'node-1' },
      })
      assert.equal(
        await codeOf('POST', '/instances/1/environment/sync', { from: NODE_2, body: {} }),
        '403 node_access.required',
      )
      assert.deepEqual(rowsOf(await send('GET', '/api/v1/instances', { from: NODE_2 })), [])
    })

    test('a duplicate or unknown body member is refused and nothing changes [ENV-012]', async () => {
      const before = await projectCount()
      const members =
        '"type":"node-package","repository_url":"https://example.test/a.git","root":".","default_branch":"main"'
      assert.equal(
        await codeOf('POST', '/projects', { raw: `{"slug":"a","slug":"b",${members}}` }),
        '422 validation.failed',
      )
      const unknown = await send('POST', '/api/v1/projects', {
        raw: `{"slug":"a","colour":"red",${members}}`,
      })
      assert.equal(unknown.status, 422)
      const { errors } = asObject(errorOf(unknown)['details'], 'details')
      assert.deepEqual(Object.keys(asObject(errors, 'errors')), ['colour'])
      const put = { raw: '{"value":"one","value":"two"}' }
      assert.equal(await codeOf('PUT', '/instances/1/environment/SHOP_NEW', put), '422 validation.failed')
      assert.equal(await projectCount(), before)
      const data = dataOf(
        await send('PUT', '/api/v1/instances/1/environment/DEBUG', { body: { value: 'false' } }),
      )
      assert.deepEqual([data['changed'], data['key_count']], [false, 15])
    })

    test('a body above the bound is refused and nothing changes', async () => {
      const raw = `{"value":"${'x'.repeat(2 * 1024 * 1024)}"}`
      assert.equal(await codeOf('PUT', '/instances/1/environment/BIG', { raw }), '413 http.413')
      const data = dataOf(
        await send('PUT', '/api/v1/instances/1/environment/DEBUG', { body: { value: 'false' } }),
      )
      assert.equal(data['key_count'], 15)
    })

    test('a request id comes back in header, body and error, and stands in the Activity [ACT-001]', async () => {
      const echoed = async (path: string): Promise<readonly unknown[]> => {
        const id = randomUUID()
        const headers = { 'x-fleet-request-id': id }
        const response = await send('GET', `/api/v1${path}`, { headers })
        const body = objectOf(response)
        const reported = asObject(body['meta'] ?? body['error'], 'meta or error')
        assert.deepEqual([response.headers['x-fleet-request-id'], reported['request_id']], [id, id])
        const rows = rowsOf(await send('GET', `/api/v1/activities?request_id=${id}`))
        return rows.map((row) => [row['request_id'] === id, row['command'], row['status'], row['error_code']])
      }
      assert.deepEqual(await echoed('/instances/1'), [[true, 'instance:show', 'succeeded', null]])
      assert.deepEqual(await echoed('/instances/99'), [
        [true, 'instance:show', 'failed', 'instance.not_found'],
      ])
    })

    test('reference page and liveness answer', async () => {
      const page = await send('GET', '/docs')
      assert.equal(page.status, 200)
      assert.match(page.text, /<html/i)
      assert.equal((await send('GET', '/healthz', { from: NO_NODE })).status, 200)
    })
  })
}
