import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@fleet/contract'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
before(async () => void (fleet = await startTestGateway()))
after(() => fleet[Symbol.asyncDispose]())

const machine = {
  name: 'web-1',
  public_ssh_host: '192.0.2.7',
  host_key_fingerprint: `SHA256:${'B'.repeat(43)}`,
}

test('node:add on a gateway without a private network is refused before anything changes [NODE-026]', async () => {
  const { status, json } = await fleet.ask('POST', '/api/v1/nodes', { body: machine })
  assert.deepEqual([status, json.error.code], [409, 'node.capability_missing'])
  const listed = await fleet.ask('GET', '/api/v1/nodes')
  assert.ok(listed.json.data.every(({ name }: { name: string }) => name !== 'web-1'))
})

test('what is wrong with a node:add comes before what the gateway lacks [NODE-069, NODE-071, NODE-111]', async () => {
  for (const [given, code] of [
    [{ user: 'a b' }, 'node.invalid_linux_user'],
    [{ fleet_user: 'root' }, 'node.invalid_linux_user'],
    [{ settings: { other: 1 } }, 'node.settings_invalid'],
    [{ platform: 'macos' }, 'node.platform_unsupported'],
    [{ roles: ['app-dev', 'app-dev'] }, 'validation.failed'],
  ] as const) {
    const { status, json } = await fleet.ask('POST', '/api/v1/nodes', { body: { ...machine, ...given } })
    assert.deepEqual([status, json.error.code], [422, code])
  }
})

test('node:add names each member that is not valid [NODE-035, NODE-036, NODE-046]', async () => {
  const { status, json } = await fleet.ask('POST', '/api/v1/nodes', {
    body: { name: 'a.b', public_ssh_port: 0, wireguard_endpoint_override: 'fe80::1:51820', user: null },
  })
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(json.error.details.errors).toSorted(), [
    'name',
    'public_ssh_port',
    'user',
    'wireguard_endpoint_override',
  ])
})

test('node:remove keeps the gateway Node and takes its flags from the query or the body [NODE-028, NODE-033, NODE-092]', async () => {
  const path = `/api/v1/nodes/${fleet.nodes.gateway}`
  for (const ask of [
    () => fleet.ask('DELETE', `${path}?force=true&offline=false`),
    () => fleet.ask('DELETE', path, { body: { force: 'true', offline: false } }),
  ]) {
    const { status, json } = await ask()
    assert.deepEqual([status, json.error.code], [409, 'node.gateway_removal_forbidden'])
  }
  const { status, json } = await fleet.ask('DELETE', `${path}?force=perhaps`)
  assert.deepEqual([status, json.error.code], [422, 'validation.failed'])
})

test('retargeting a Node and repairing its DNS have no route [NODE-034]', () => {
  const routes = catalogue.map(({ name, path }) => `${name} ${path}`)
  assert.deepEqual(
    routes.filter((route) => /retarget|repair/.test(route)),
    [],
  )
})
