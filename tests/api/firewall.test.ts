import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestGateway } from './harness.ts'

const rule = { name: 'web', port: '443' }

test('firewall rules are listed for those who may address their Nodes [FW-003, FW-004, FW-025]', async () => {
  await using fleet = await startTestGateway()
  const { granted, ungranted } = fleet.nodes
  for (const [node_id, name] of [
    [granted, 'b'],
    [granted, 'a'],
    [ungranted, 'c'],
  ] as const)
    await fleet.store.db
      .insertInto('firewall_rules')
      .values({
        node_id,
        name,
        action: 'deny',
        source: '192.0.2.0/24',
        protocol: 'udp',
        port: '53',
        status: 'active',
        created_at: '2026-01-02T03:04:05.000Z',
      })
      .execute()
  const all = await fleet.ask('GET', '/api/v1/firewall-rules', { from: 'granted' })
  assert.deepEqual(
    all.json.data.map(({ node, name }: { node: string; name: string }) => `${node} ${name}`),
    ['granted a', 'granted b'],
  )
  const one = await fleet.ask('GET', `/api/v1/nodes/${granted}/firewall-rules`, { from: 'granted' })
  assert.equal(one.json.data.length, 2)
  const refused = await fleet.ask('GET', `/api/v1/nodes/${ungranted}/firewall-rules`, { from: 'granted' })
  assert.deepEqual([refused.status, refused.json.error.code], [403, 'node_access.required'])
})

test('a Node without a firewall of its own takes no rule, and says where real ones are [FW-022, FW-025]', async () => {
  await using fleet = await startTestGateway()
  const { granted, ungranted } = fleet.nodes
  for (const action of ['allow', 'deny']) {
    const path = `/api/v1/nodes/${granted}/firewall-rules/${action}`
    const { status, json } = await fleet.ask('POST', path, { from: 'granted', body: rule })
    assert.deepEqual([status, json.error.code], [409, 'node.capability_missing'])
    assert.match(json.error.message, /the lab has real hosts/)
    const foreign = `/api/v1/nodes/${ungranted}/firewall-rules/${action}`
    assert.equal((await fleet.ask('POST', foreign, { from: 'granted', body: rule })).status, 403)
  }
  const live = await fleet.ask('GET', `/api/v1/nodes/${granted}/live-firewall-rules`, { from: 'granted' })
  assert.deepEqual([live.status, live.json.data.backend_status], [200, 'absent'])
  const managed = await fleet.ask('GET', `/api/v1/nodes/${granted}/managed-firewall-rules`, {
    from: 'granted',
  })
  assert.deepEqual(
    managed.json.data.map(({ name, role }: { name: string; role: unknown }) => [name, role]),
    [['wireguard-members', null]],
  )
})

const bad: ReadonlyArray<readonly [member: string, value: unknown]> = [
  ['name', '-a'],
  ['name', undefined],
  ['port', '90:80'],
  ['port', '70000'],
  ['port', 443],
  ['port', undefined],
  ['source', 'everyone'],
  ['source', '10.0.0.0/40'],
  ['protocol', 'icmp'],
]
test('a rule whose values break a rule is refused at the member [FW-007, FW-008, FW-009, FW-010]', async () => {
  await using fleet = await startTestGateway()
  const path = `/api/v1/nodes/${fleet.nodes.granted}/firewall-rules/allow`
  for (const [member, value] of bad) {
    const { status, json } = await fleet.ask('POST', path, {
      from: 'granted',
      body: { ...rule, [member]: value },
    })
    const what = `${member} ${JSON.stringify(value)}`
    assert.deepEqual([status, json.error.code], [422, 'validation.failed'], what)
    assert.deepEqual(Object.keys(json.error.details.errors), [member], what)
  }
})

test('a rule that the Node does not have cannot be removed, and there is no way to change one [FW-006, EV-078]', async () => {
  await using fleet = await startTestGateway()
  const path = `/api/v1/nodes/${fleet.nodes.granted}/firewall-rules/web`
  const { status, json } = await fleet.ask('DELETE', path, { from: 'granted' })
  assert.deepEqual([status, json.error.code], [404, 'firewall.not_found'])
  for (const method of ['PUT', 'PATCH', 'POST'])
    assert.ok([404, 405].includes((await fleet.ask(method, path, { from: 'granted', body: rule })).status))
})
