import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoleName } from '@fleet/contract'
import { addNode, addRole, fakeCall, openTestStore, testDomains } from '@fleet/testing'

/** Each finding that could be of a Node with these roles, with the role that it is reported of. */
async function reportedOf(roles: readonly RoleName[], isHub: boolean): Promise<readonly string[]> {
  await using store = await openTestStore()
  const { network, nodes } = testDomains({ store })
  const keyed = { wireguard_public_key: 'key=' }
  const { id } = await addNode(store, { ...keyed, name: 'one', wireguard_ip: '10.44.0.2', roles: [] })
  for (const role of roles) await addRole(store, { node_id: id, role })
  const host = { public_ssh_host: '203.0.113.1' }
  if (!isHub)
    await addNode(store, { ...keyed, ...host, name: 'hub', wireguard_ip: '10.44.0.1', roles: ['vpn'] })
  const node = await nodes.nodes.find(id)
  assert.ok(node)
  assert.deepEqual(await network.checks.checksOf(fakeCall(), node), [])
  await network.configure({ range: '10.44.0.0/24', hubPort: 51820, endpoint: null, suffix: 'fleet' })
  const checks = await network.checks.checksOf(fakeCall(), node)
  return checks.map(({ code, resource }) => `${code} of ${resource.name}`)
}

/** Of a Node with a role, by the role that the conflict is reported of, and that of other trouble with the resolver. */
const resolver = (first: RoleName, gateway?: RoleName): readonly string[] => [
  `role.dns_snippet_conflict of ${first}`,
  gateway ? `role.private_dns_route_mismatch of ${gateway}` : `role.dns_snippet_conflict of ${first}`,
]
const TUNNEL = (first: RoleName): readonly string[] => [
  `role.vpn_inactive of ${first}`,
  `role.vpn_projection_mismatch of ${first}`,
]
const HUB = ['role.vpn_inactive of vpn', 'role.vpn_projection_mismatch of vpn']

for (const [what, roles, isHub, reported] of [
  ['a hub', ['vpn'], true, [...HUB, ...resolver('vpn')]],
  [
    'a hub that is the gateway',
    ['app-dev', 'gateway', 'vpn'],
    true,
    [...HUB, ...resolver('app-dev', 'gateway')],
  ],
  [
    'the gateway beside a hub',
    ['app-dev', 'gateway'],
    false,
    [...TUNNEL('app-dev'), ...resolver('app-dev', 'gateway')],
  ],
  ['a peer with roles', ['database', 'app-dev'], false, [...TUNNEL('database'), ...resolver('database')]],
  ['a peer without a role', [], false, ['role.vpn_projection_mismatch of one']],
] as const)
  test(`the tunnel is checked for the role of the hub, the oldest one or the Node itself, and the resolver for that of the gateway or the oldest one: ${what} [DRF-034, DRF-035, DRF-038]`, async () => {
    assert.deepEqual(await reportedOf(roles, isHub), reported)
  })
