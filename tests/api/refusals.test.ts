import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue, namesNodeInBody, type Operation } from '@fleet/contract'
import { addDatabase, addProject } from '@fleet/testing'
import { type Ask, type From, startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
let project = 0
before(async () => {
  fleet = await startTestGateway()
  project = (await addProject(fleet.store)).id
  await addDatabase(fleet.store, { slug: 'shop' })
  await fleet.store.db
    .insertInto('database_servers')
    .values({
      slug: 'shop',
      node_id: fleet.nodes.granted,
      engine: 'pgsql',
      tag: '17',
      port: 5432,
      status: 'active',
      created_at: '2026-01-02T03:04:05.000Z',
    })
    .execute()
})
after(() => fleet[Symbol.asyncDispose]())

const secured = catalogue.filter(({ access }) => access !== 'public')
const code = async (operation: Operation, from: From, path: string, options: Ask = {}): Promise<string> => {
  const { status, json } = await fleet.ask(operation.method, `/api/v1${path}`, {
    ...options,
    from,
    ...(operation.method === 'GET' ? {} : { body: options.body ?? {} }),
  })
  return `${status} ${json?.error?.code ?? ''}`
}
const pathOf = (operation: Operation, id: number, projectId = id): string =>
  operation.path
    .replaceAll('{project}', String(projectId))
    .replaceAll('{slug}', 'shop')
    .replace(/\{\w+\}/g, String(id))

for (const operation of secured) {
  test(`${operation.name} refuses an unknown address and an inactive Node before anything else [ACC-001, ACC-002, GW-004]`, async () => {
    for (const from of ['unknown', 'inactive'] as const) {
      const forged = { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1', 'x-real-ip': '127.0.0.1' }
      assert.equal(
        await code(operation, from, pathOf(operation, 99_999), { headers: forged }),
        '403 peer.identity_unknown',
      )
    }
  })
}

for (const operation of secured.filter(
  ({ access, unknown }) => Object.keys(unknown).length > 0 && access !== 'public',
)) {
  test(`${operation.name} answers 404 for an unknown record before it checks grant or input`, async () => {
    const body = operation.method === 'GET' ? {} : { body: { surely_unknown: 1 } }
    const path = pathOf(operation, 99_999).replace('/shop', '/no-such')
    const answer = await code(operation, 'ungranted', path, body)
    assert.ok(
      Object.values(operation.unknown).some((unknown) => answer === `404 ${unknown}`),
      answer,
    )
  })
}

// A path that names a record of the Node besides is about that record first; its family's own tests ask about grants.
const aboutNodesAlone = ({ unknown }: Operation): boolean =>
  Object.values(unknown).every((code) => code === 'node.not_found' || code === 'project.not_found')

for (const operation of secured
  .filter(({ access }) => access === 'node' || access === 'servingNode')
  .filter(aboutNodesAlone)) {
  test(`${operation.name} needs a grant on the Node, and the refusal names both Nodes [ACC-003, ACC-004, GW-008]`, async () => {
    const { nodes } = fleet
    const path = pathOf(operation, nodes.granted, project)
    const { status, json } = await fleet.ask(operation.method, `/api/v1${path}`, {
      from: 'ungranted',
      ...(operation.method === 'GET' ? {} : { body: { surely_unknown: 1 } }),
    })
    assert.deepEqual([status, json.error.code], [403, 'node_access.required'])
    assert.deepEqual(json.error.details.consumer_node, { id: nodes.ungranted, name: 'ungranted' })
    assert.deepEqual(json.error.details.serving_node, { id: nodes.granted, name: 'granted' })
  })
}

for (const operation of secured.filter(({ access }) => access === 'gateway')) {
  test(`${operation.name} needs a grant on the gateway Node [PRJ-031]`, async () => {
    assert.equal(await code(operation, 'ungranted', pathOf(operation, project)), '403 node_access.required')
  })
}

for (const operation of secured.filter((one) => namesNodeInBody(one) && !one.path.includes('{'))) {
  test(`${operation.name} needs a grant on the Node that its body names [ACC-003, ACC-004]`, async () => {
    const { granted, ungranted } = fleet.nodes
    const naming = (id: number) => ({ body: { node_id: id, target_type: 'node', target_id: id } })
    const refused = (id: number) => code(operation, 'ungranted', operation.path, naming(id))
    assert.equal(await refused(granted), '403 node_access.required')
    assert.match(await refused(ungranted), /^422 /)
  })
}

test('a Node may act on itself without a grant [GW-007]', async () => {
  const { status } = await fleet.ask('GET', `/api/v1/nodes/${fleet.nodes.ungranted}`, { from: 'ungranted' })
  assert.equal(status, 200)
})

test('a grant opens the serving Node to the consumer, and only in that direction [GRANT-001]', async () => {
  const { nodes } = fleet
  const access = `/api/v1/nodes/${nodes.granted}/access/${nodes.ungranted}`
  assert.equal((await fleet.ask('PUT', access, { from: 'granted' })).json.data.already_exists, false)
  assert.equal((await fleet.ask('GET', `/api/v1/nodes/${nodes.granted}`, { from: 'ungranted' })).status, 200)
  assert.equal((await fleet.ask('GET', `/api/v1/nodes/${nodes.ungranted}`, { from: 'granted' })).status, 403)
  const removed = await fleet.ask('DELETE', access, { from: 'ungranted' })
  assert.equal(removed.json.data.self_lockout, true)
  assert.equal((await fleet.ask('GET', `/api/v1/nodes/${nodes.granted}`, { from: 'ungranted' })).status, 403)
})

test('the feed is reported and signed to the gateway Node and to who has a grant on it [ACC-005]', async () => {
  const { nodes } = fleet
  const asks = [
    ['GET', '/realtime'],
    ['GET', '/broadcasting/auth?socket_id=1.2&channel_name=private-fleet'],
    ['POST', '/broadcasting/auth'],
  ] as const
  const statuses = (from: From) =>
    Promise.all(
      asks.map(async ([method, path]) => {
        const body = { socket_id: '1.2', channel_name: 'private-fleet' }
        return (await fleet.ask(method, `/api/v1${path}`, { from, ...(method === 'POST' ? { body } : {}) }))
          .status
      }),
    )
  // Nobody serves the feed here, which only who may ask learns.
  assert.deepEqual(await statuses('gateway'), [200, 404, 404])
  assert.deepEqual(await statuses('ungranted'), [403, 403, 403])
  const access = `/api/v1/nodes/${nodes.gateway}/access/${nodes.ungranted}`
  await fleet.ask('PUT', access)
  assert.deepEqual(await statuses('ungranted'), [200, 404, 404])
  await fleet.ask('DELETE', access)
  assert.deepEqual(await statuses('ungranted'), [403, 403, 403])
})
