import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addRole } from '@fleet/testing'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
before(async () => {
  fleet = await startTestGateway()
})
after(() => fleet[Symbol.asyncDispose]())

const answer = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await fleet.ask(method, `/api/v1/nodes/${fleet.nodes.granted}${path}`, {
    body,
    from: 'granted',
  })
  return { status, code: json.error?.code, data: json.data, details: json.error?.details }
}

test('a fleet without a private network gives and takes no roles, and stores nothing [ROLE-016, ROLE-017, NODE-032]', async () => {
  await addRole(fleet.store, { node_id: fleet.nodes.granted, role: 'ingress' })
  const before = await answer('GET', '/roles')
  for (const [method, path, body] of [
    ['POST', '/roles', { role: 'analytics', postgres_process_id: 1, clickhouse_process_id: 2 }],
    ['DELETE', '/roles/ingress', {}],
    ['POST', '/converge', { force: 'true' }],
  ] as const) {
    const { status, code } = await answer(method, path, body)
    assert.ok(
      (status === 409 && code === 'node.capability_missing') ||
        (status === 422 && code === 'validation.failed'),
      `${method} ${path}: ${status} ${code}`,
    )
  }
  assert.deepEqual(await answer('GET', '/roles'), before)
})

test('a role that is active is answered with 200, and DELETE takes its flags as booleans and as strings [NODE-033, ROLE-016]', async () => {
  await addRole(fleet.store, { node_id: fleet.nodes.granted, role: 'analytics' })
  const repeated = await answer('POST', '/roles', {
    role: 'analytics',
    postgres_process_id: 1,
    clickhouse_process_id: 2,
  })
  assert.deepEqual([repeated.status, repeated.data.status], [200, 'active'])
  for (const offline of [true, 'true']) {
    const removed = await answer('DELETE', '/roles/analytics', { offline, force: 'false', purge_data: false })
    assert.equal(removed.status, 200)
    assert.deepEqual([removed.data.role, removed.data.removed], ['analytics', true])
    await addRole(fleet.store, { node_id: fleet.nodes.granted, role: 'analytics' })
  }
  assert.equal((await answer('DELETE', '/roles/analytics', { offline: true })).status, 200)
  assert.deepEqual(
    (await answer('DELETE', '/roles/analytics', { offline: true })).code,
    'node_role.not_found',
  )
})

test('a role of the whole fleet is refused to who may not act on the gateway Node, and nothing changes [GRANT-001, ACC-003, GW-027]', async () => {
  const before = await answer('GET', '/roles')
  for (const [method, path, body] of [
    ['POST', '/roles', { role: 'websocket' }],
    ['DELETE', '/roles/websocket', {}],
    ['POST', '/roles/gateway/relocate', {}],
  ] as const) {
    const { status, code } = await answer(method, path, body)
    assert.deepEqual([status, code], [403, 'node_access.required'], `${method} ${path}`)
  }
  assert.deepEqual(await answer('GET', '/roles'), before)
})

test('unknown roles and members, and options of another role, are refused [ROLE-006, ROLE-016]', async () => {
  for (const body of [
    {},
    { role: 'nonsense' },
    { role: 'database', image: 'x' },
    { role: 'database', postgres_process_id: 1, clickhouse_process_id: 2 },
    { role: 'vpn' },
    { role: 'router' },
  ]) {
    const { status, code } = await answer('POST', '/roles', body)
    assert.deepEqual([status, code], [422, 'validation.failed'], JSON.stringify(body))
  }
})
