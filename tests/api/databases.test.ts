import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, databaseConnection } from '@fleet/contract'
import { addDatabase, addInstance, addProject } from '@fleet/testing'
import { startTestGateway, type TestGateway } from './harness.ts'

const PATH = '/api/v1/database-connections'
const PASSWORD = 'canary-Pa55word'
const LOGIN = { host: 'a.internal', database: 'shop', username: 'reader', password: PASSWORD }

const operations = catalogue.filter(({ group, access }) => group === 'Databases' && access === 'gateway')
const ofServers = (path: string): boolean => path.startsWith('/database-servers')

test('a connection is registered, read, changed and removed over HTTP, each change on record without the password [DB-002, DB-039, DB-040, DB-041, ACT-012]', async () => {
  await using fleet = await startTestGateway()
  const body = { slug: 'shop', driver: 'pgsql', ...LOGIN }
  const created = await fleet.ask('POST', PATH, { body })
  assert.equal(created.status, 201)
  assert.deepEqual(databaseConnection.parse(created.json.data), created.json.data)
  const again = await fleet.ask('POST', PATH, { body })
  assert.deepEqual([again.status, again.json.error.code], [409, 'database.slug_conflict'])
  const { status, json } = await fleet.ask('GET', `${PATH}/shop`)
  assert.deepEqual([status, json.data], [200, { ...created.json.data, users_count: 0 }])
  assert.deepEqual((await fleet.ask('GET', PATH)).json.data, [created.json.data])
  const moved = await fleet.ask('PATCH', `${PATH}/shop`, { body: { host: 'b.internal' } })
  assert.deepEqual([moved.status, moved.json.data], [200, { ...created.json.data, host: 'b.internal' }])
  const move = { host: 'b.internal', password: PASSWORD }
  const changed = await fleet.ask('PATCH', `${PATH}/shop`, { body: move })
  assert.deepEqual(changed.json.data, { ...created.json.data, host: 'b.internal' })
  const removed = await fleet.ask('DELETE', `${PATH}/shop`)
  assert.deepEqual(
    [removed.status, removed.json.data],
    [200, { ...changed.json.data, retained_on_nodes: [], dropped_databases: [] }],
  )
  assert.equal((await fleet.ask('GET', `${PATH}/shop`)).status, 404)
  const rows = await fleet.store.db.selectFrom('activities').selectAll().execute()
  const about = rows.filter(({ subject_type: type }) => type === 'database_connection')
  assert.ok(about.some(({ command }) => command === 'database:update'))
  for (const text of [created.text, again.text, changed.text, removed.text, JSON.stringify(rows)])
    assert.ok(!text.includes(PASSWORD))
})

test('the slug is no member of a change [DBS-005]', async () => {
  await using fleet = await startTestGateway()
  await addDatabase(fleet.store, { slug: 'shop' })
  const { status, json } = await fleet.ask('PATCH', `${PATH}/shop`, { body: { slug: 'other' } })
  assert.deepEqual([status, json.error.code], [422, 'validation.failed'])
})

const concrete = (path: string): string =>
  `/api/v1${path.replace('{slug}', 'shop').replace('{table}', 'orders')}`

test('every operation on connections and servers needs a grant on the gateway Node [ACC-011, DBS-027]', async () => {
  await using fleet = await startTestGateway()
  await addDatabase(fleet.store, { slug: 'shop' })
  await fleet.store.db
    .insertInto('database_servers')
    .values({
      slug: 'shop',
      node_id: fleet.nodes.granted,
      engine: 'mysql',
      tag: '8.4',
      port: 3306,
      status: 'active',
      created_at: '2026-01-01T00:00:00.000Z',
    })
    .execute()
  for (const { method, path, name } of operations) {
    const body = method === 'GET' ? {} : { body: {} }
    const refused = await fleet.ask(method, concrete(path), { from: 'ungranted', ...body })
    assert.deepEqual([refused.status, refused.json.error.code], [403, 'node_access.required'], name)
    const { consumer_node, serving_node } = refused.json.error.details
    assert.deepEqual([consumer_node.name, serving_node.name], ['ungranted', 'gateway'], name)
  }
  assert.equal((await grantedTo(fleet)).status, 200)
})

async function grantedTo(fleet: TestGateway) {
  const { granted, gateway } = fleet.nodes
  await fleet.ask('PUT', `/api/v1/nodes/${gateway}/access/${granted}`)
  return fleet.ask('GET', PATH, { from: 'granted' })
}

test('an unknown slug is 404 in every path [DB-050]', async () => {
  await using fleet = await startTestGateway()
  for (const { method, path, name } of operations.filter(({ path }) => path.includes('{slug}'))) {
    const { status, json } = await fleet.ask(method, concrete(path), method === 'GET' ? {} : { body: {} })
    const code = ofServers(path) ? 'database.server_missing' : 'database.not_found'
    assert.deepEqual([status, json.error.code], [404, code], name)
  }
})

test('a connection is attached to an Instance by its id or its exact domain, with a grant on the Node of the Instance [ACC-012, DB-079, DB-080, DB-086, DBS-022]', async () => {
  await using fleet = await startTestGateway()
  await addDatabase(fleet.store, { slug: 'shop' })
  const project = await addProject(fleet.store)
  const profile = { application_directory: '', framework: null, php: false }
  const { id } = await addInstance(fleet.store, {
    project_id: project.id,
    node_id: fleet.nodes.granted,
    profile,
  })
  const path = (instance: string | number): string =>
    `/api/v1/instances/${instance}/database-connections/shop`
  const refused = await fleet.ask('PUT', path(id), { from: 'ungranted', body: {} })
  assert.deepEqual([refused.status, refused.json.error.code], [403, 'node_access.required'])
  const { granted, gateway } = fleet.nodes
  await fleet.ask('PUT', `/api/v1/nodes/${granted}/access/${gateway}`)
  for (const prefix of ['db', '1DB', 'A'.repeat(33), 'A-B', '']) {
    const { status, json } = await fleet.ask('PUT', path(id), { body: { prefix } })
    assert.deepEqual([status, json.error.code], [422, 'validation.failed'], prefix)
  }
  const { status, json } = await fleet.ask('PUT', path(id), { body: {} })
  assert.deepEqual([status, json.data.instance_id, json.data.prefix], [200, id, 'DB'])
  const route = await fleet.store.db
    .insertInto('routes')
    .values({
      kind: 'app',
      project_id: project.id,
      node_id: fleet.nodes.granted,
      domain: 'shop.test',
      provenance: 'explicit',
      publication: 'private',
      status: 'active',
      created_at: '2026-01-01T00:00:00.000Z',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await fleet.store.db
    .insertInto('route_targets')
    .values({ route_id: route.id, instance_id: id, position: 1 })
    .execute()
  assert.equal((await fleet.ask('PUT', path('shop.test'), { body: {} })).json.data.instance_id, id)
  const gone = await fleet.ask('DELETE', path(id), {})
  assert.deepEqual([gone.status, gone.json.data.operation], [200, 'remove'])
})

test('the keys of a connection that is gone are removed by its slug, and only once [DB-083, DB-085]', async () => {
  await using fleet = await startTestGateway()
  const { db } = fleet.store
  const { id: connection } = await addDatabase(fleet.store, { slug: 'shop' })
  const project = await addProject(fleet.store)
  const profile = { application_directory: '', framework: null, php: false }
  const { granted, gateway } = fleet.nodes
  await fleet.ask('PUT', `/api/v1/nodes/${granted}/access/${gateway}`)
  const place = { project_id: project.id, node_id: granted, profile }
  const { id } = await addInstance(fleet.store, place)
  const path = `/api/v1/instances/${id}/database-connections/shop`
  await fleet.ask('PUT', path, { body: {} })
  await db.deleteFrom('database_connections').where('id', '=', connection).execute()
  const refused = await fleet.ask('PUT', path, { body: {} })
  assert.deepEqual([refused.status, refused.json.error.code], [404, 'database.not_found'])
  const { status, json } = await fleet.ask('DELETE', path, { body: {} })
  assert.deepEqual(
    [status, json.data?.operation, json.data?.slug],
    [200, 'remove', 'shop'],
    JSON.stringify(json),
  )
  assert.deepEqual(await db.selectFrom('database_attachments').selectAll().execute(), [])
  const again = await fleet.ask('DELETE', path, { body: {} })
  assert.deepEqual([again.status, again.json.error.code], [404, 'database.attachment_missing'])
})

test('database servers are listed, shown and removed by their slug [DBS-026]', async () => {
  await using fleet = await startTestGateway()
  await fleet.store.db
    .insertInto('database_servers')
    .values({
      slug: 'main',
      node_id: fleet.nodes.gateway,
      engine: 'mysql',
      tag: '8.4',
      port: 3306,
      status: 'failed',
      created_at: '2026-01-01T00:00:00.000Z',
    })
    .execute()
  const servers = '/api/v1/database-servers'
  const { json: list } = await fleet.ask('GET', servers)
  assert.deepEqual(
    list.data.map(({ slug }: { slug: string }) => slug),
    ['main'],
  )
  const { json: shown } = await fleet.ask('GET', `${servers}/main`)
  assert.deepEqual([shown.data.slug, shown.data.databases], ['main', []])
  const removed = await fleet.ask('DELETE', `${servers}/main`)
  assert.equal(removed.status, 200, removed.text)
  assert.equal((await fleet.ask('GET', `${servers}/main`)).status, 404)
})
