import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { nodeStatuses } from '@fleet/contract'
import type { Row } from '@fleet/store'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
before(async () => {
  fleet = await startTestGateway()
  const grant = `/api/v1/nodes/${fleet.nodes.granted}/access/${fleet.nodes.gateway}`
  await fleet.ask('PUT', grant, { from: 'granted' })
})
after(() => fleet[Symbol.asyncDispose]())

const store = (values: Partial<Row<'nodes'>>) =>
  fleet.store.db.updateTable('nodes').set(values).where('id', '=', fleet.nodes.granted).execute()

/** The members of one Node as the list and the Node itself show them; both must agree. */
async function shown(...members: readonly string[]): Promise<readonly unknown[]> {
  const one = (await fleet.ask('GET', `/api/v1/nodes/${fleet.nodes.granted}`)).json.data
  const all = (await fleet.ask('GET', '/api/v1/nodes')).json.data
  const listed = all.find(({ id }: { id: number }) => id === fleet.nodes.granted)
  const values = members.map((member) => one[member])
  assert.deepEqual(
    members.map((member) => listed[member]),
    values,
  )
  return values
}

test('a Node is provisioning, active or failed, and a failed one names its step and code [NODE-003, NODE-013]', async () => {
  const members = ['status', 'failed_step', 'error_code']
  assert.deepEqual(nodeStatuses, ['provisioning', 'active', 'failed'])
  assert.deepEqual(await shown(...members), ['active', null, null])
  await store({ status: 'provisioning' })
  assert.deepEqual(await shown(...members), ['provisioning', null, null])
  await store({ status: 'failed', failed_step: 'fleet-ssh', error_code: 'node.fleet_ssh_failed' })
  assert.deepEqual(await shown(...members), ['failed', 'fleet-ssh', 'node.fleet_ssh_failed'])
  await store({ status: 'active', failed_step: null, error_code: null })
})

test('platform and architecture are what the machine was found to be, or null before [NODE-004, NODE-005]', async () => {
  for (const [platform, architecture] of [
    ['linux', 'x86_64'],
    ['linux', 'aarch64'],
    ['macos', 'arm64'],
    [null, null],
  ] as const) {
    await store({ platform, architecture })
    assert.deepEqual(await shown('platform', 'architecture'), [platform, architecture])
  }
  await store({ platform: 'linux', architecture: 'x86_64' })
})

test('the ways to a Node are shown: public SSH, managed user, tunnel identity and overrides [NODE-007, NODE-008, NODE-009, NODE-010]', async () => {
  const members = [
    'public_ssh_host',
    'public_ssh_port',
    'user',
    'wireguard_ip',
    'wireguard_public_key',
    'wireguard_endpoint_override',
    'dns_server_override',
  ] as const
  const values = {
    public_ssh_host: '192.0.2.7',
    public_ssh_port: 2222,
    user: 'deploy',
    wireguard_ip: '10.44.0.7',
    wireguard_public_key: `${'a'.repeat(43)}=`,
    wireguard_endpoint_override: 'hub.example.com:51820',
    dns_server_override: '9.9.9.9',
  }
  await store(values)
  assert.deepEqual(
    await shown(...members),
    members.map((member) => values[member]),
  )
  const absent = {
    wireguard_ip: null,
    wireguard_public_key: null,
    wireguard_endpoint_override: null,
    dns_server_override: null,
  }
  await store(absent)
  assert.deepEqual(await shown(...members), ['192.0.2.7', 2222, 'deploy', null, null, null, null])
})

test('what only the gateway needs to know of a Node is in no answer', async () => {
  await store({ agent_secret_hash: 'a'.repeat(64) })
  const { text } = await fleet.ask('GET', `/api/v1/nodes/${fleet.nodes.granted}`)
  assert.ok(!text.includes('agent_secret') && !text.includes('a'.repeat(64)))
})

test("no apps path may overlap the running gateway's own state or checkout [NODE-107]", async () => {
  const checkout = resolve(import.meta.dirname, '../..')
  for (const path of [fleet.home, join(fleet.home, 'ca', 'apps'), checkout, join(checkout, 'apps')]) {
    const body = { settings: { apps: { path } } }
    const { status, json } = await fleet.ask('PATCH', `/api/v1/nodes/${fleet.nodes.granted}/settings`, {
      body,
    })
    assert.deepEqual([status, json.error.code], [422, 'node.settings_path_protected'], path)
  }
})
