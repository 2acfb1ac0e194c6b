import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRole } from '@fleet/testing'
import { startTestGateway } from './harness.ts'

test('a Cluster is created, joined, activated, emptied and removed over HTTP, each on record [CLU-003, CLU-004, CLU-005, CLU-006, CLU-007, CLU-008, NODE-002]', async () => {
  await using fleet = await startTestGateway()
  const { granted, gateway } = fleet.nodes
  await fleet.ask('PUT', `/api/v1/nodes/${granted}/access/${gateway}`, { from: 'granted' })
  const created = await fleet.ask('POST', '/api/v1/clusters', { body: { name: 'berlin' } })
  assert.deepEqual([created.status, created.json.data.state], [201, 'inactive'])
  assert.equal((await fleet.ask('POST', '/api/v1/clusters', { body: { name: 'berlin' } })).status, 200)
  const path = `/api/v1/clusters/${created.json.data.id}`
  const cluster_id = async () => (await fleet.ask('GET', `/api/v1/nodes/${granted}`)).json.data.cluster_id
  assert.equal(await cluster_id(), null)
  const joined = await fleet.ask('PUT', `${path}/nodes/${granted}`)
  assert.equal(joined.json.data.nodes[0].name, 'granted')
  assert.equal(await cluster_id(), created.json.data.id)
  const active = await fleet.ask('PATCH', path, { body: { state: 'active' } })
  assert.equal(active.json.data.state, 'active')
  assert.deepEqual((await fleet.ask('GET', path)).json.data, active.json.data)
  assert.deepEqual((await fleet.ask('GET', '/api/v1/clusters')).json.data, [active.json.data])
  const kept = await fleet.ask('DELETE', path)
  assert.deepEqual([kept.status, kept.json.error.code], [409, 'cluster.not_empty'])
  assert.equal((await fleet.ask('DELETE', `${path}/nodes/${granted}`, { body: { force: true } })).status, 200)
  assert.equal(await cluster_id(), null)
  assert.equal((await fleet.ask('DELETE', path)).json.data.name, 'berlin')
  const rows = await fleet.store.db
    .selectFrom('activities')
    .select(['command', 'status'])
    .where('subject_type', '=', 'cluster')
    .where('status', '=', 'failed')
    .execute()
  assert.deepEqual(rows, [{ command: 'cluster:destroy', status: 'failed' }])
})

test('a malformed top-level domain or state of a Cluster is refused [CLU-029, CLU-030]', async () => {
  await using fleet = await startTestGateway()
  const made = await fleet.ask('POST', '/api/v1/clusters', { body: { name: 'berlin' } })
  const path = `/api/v1/clusters/${made.json.data.id}`
  for (const [method, at] of [
    ['POST', '/api/v1/clusters'],
    ['PATCH', path],
  ] as const) {
    const { status, json } = await fleet.ask(method, at, { body: { name: 'b', tld: 'a.b' } })
    assert.deepEqual([status, json.error.code], [422, 'validation.failed'])
    assert.deepEqual(Object.keys(json.error.details.errors), ['tld'])
  }
  const wrong = await fleet.ask('PATCH', path, { body: { state: 'x' } })
  assert.deepEqual([wrong.status, wrong.json.error.code], [422, 'cluster.state_invalid'])
})

test('the gateway makes no Router that would not serve, and shows one that does [CLU-009]', async () => {
  await using fleet = await startTestGateway()
  const { gateway } = fleet.nodes
  const made = await fleet.ask('POST', '/api/v1/clusters', { body: { name: 'berlin', tld: 'b' } })
  const path = `/api/v1/clusters/${made.json.data.id}`
  await fleet.ask('PUT', `${path}/nodes/${gateway}`)
  const refused = await fleet.ask('PUT', `${path}/router/${gateway}`)
  assert.deepEqual([refused.status, refused.json.error.code], [409, 'node.capability_missing'])
  assert.equal((await fleet.ask('GET', path)).json.data.router, null)
  const unrouted = await fleet.ask('PATCH', path, { body: { state: 'active' } })
  assert.equal(unrouted.json.error.code, 'cluster.router_required')
  await addRole(fleet.store, { node_id: gateway, role: 'router' })
  assert.equal((await fleet.ask('GET', path)).json.data.router.name, 'gateway')
  assert.equal((await fleet.ask('PATCH', path, { body: { state: 'active' } })).status, 200)
  const kept = await fleet.ask('DELETE', `${path}/router`)
  assert.deepEqual([kept.status, kept.json.error.code], [409, 'cluster.active_router_required'])
})

test('a Cluster needs a grant on its Nodes, and on the gateway Node while it has none [CLU-011]', async () => {
  await using fleet = await startTestGateway()
  const made = await fleet.ask('POST', '/api/v1/clusters', { body: { name: 'berlin' } })
  const path = `/api/v1/clusters/${made.json.data.id}`
  const code = async (from: 'granted' | 'gateway') => (await fleet.ask('GET', path, { from })).status
  assert.deepEqual([await code('gateway'), await code('granted')], [200, 403])
  await fleet.store.db
    .updateTable('nodes')
    .set({ cluster_id: made.json.data.id })
    .where('id', '=', fleet.nodes.granted)
    .execute()
  assert.deepEqual([await code('gateway'), await code('granted')], [403, 200])
})
