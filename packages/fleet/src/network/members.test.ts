import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import { addressOf, type Membership, peerFactsOf, requireHub, resolverOf } from '#/network/members.ts'

const HUB = nodeRecord({
  id: 1,
  name: 'hub',
  wireguard_ip: '10.44.0.1',
  wireguard_public_key: 'hub-key',
  public_ssh_host: '203.0.113.9',
})
const NODE = nodeRecord({ id: 2, name: 'web', wireguard_ip: '10.44.0.2' })
const MEMBERSHIP = {
  settings: { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' },
  hub: HUB,
  gatewayId: 3,
} satisfies Membership

const resolver = (change: Partial<typeof NODE> = {}, isManaged = true) =>
  resolverOf(MEMBERSHIP, HUB, { ...NODE, ...change }, isManaged)

const facts = (membership: Partial<Membership> = {}, change: Partial<typeof NODE> = {}) =>
  peerFactsOf({ ...MEMBERSHIP, ...membership }, { ...NODE, ...change }, resolver())

test('without a Node that is the hub there is nothing to publish to', () => {
  assert.equal(requireHub({ hub: HUB }), HUB)
  assert.throws(() => requireHub({ hub: undefined }), { code: 'vpn.server_missing' })
})

test('a tunnel follows from the records of its Node and of the hub [NODE-049]', () => {
  assert.deepEqual(facts(), {
    address: '10.44.0.2',
    range: '10.44.0.0/16',
    resolver: resolver(),
    hub: { publicKey: 'hub-key', endpoint: { host: '203.0.113.9', port: 51_820 } },
  })
  const stored = { settings: { ...MEMBERSHIP.settings, endpoint: 'vpn.example.com:443' } }
  assert.deepEqual(facts(stored).hub.endpoint, { host: 'vpn.example.com', port: 443 })
  const own = { wireguard_endpoint_override: '[2001:db8::1]:1' }
  assert.deepEqual(facts(stored, own).hub.endpoint, { host: '2001:db8::1', port: 1 })
})

const hub = { id: 1, name: 'hub' }
const web = { id: 2, name: 'web' }

test('what the records of a tunnel lack is refused by the Node that lacks it [NODE-049]', () => {
  assert.throws(() => facts({ hub: undefined }), { code: 'vpn.server_missing', details: undefined })
  const keyless = { ...HUB, wireguard_public_key: null }
  assert.throws(() => facts({ hub: keyless }), { code: 'vpn.server_missing', details: { node: hub } })
  assert.throws(() => facts({ hub: { ...HUB, public_ssh_host: null } }), {
    code: 'vpn.server_endpoint_missing',
    details: { node: hub },
  })
  assert.throws(() => facts({}, { wireguard_endpoint_override: 'fe80::1:1' }), {
    code: 'vpn.configuration_invalid',
    details: { node: web, member: 'wireguard_endpoint_override' },
  })
  assert.throws(() => facts({}, { wireguard_ip: null }), {
    code: 'vpn.peer_address_missing',
    details: { node: web },
  })
  assert.throws(() => addressOf({ ...HUB, wireguard_ip: null }), { details: { node: hub } })
})

test('a malformed endpoint is refused by its member, although the hub has no public host', () => {
  const bare = { ...HUB, public_ssh_host: null }
  const settings = { ...MEMBERSHIP.settings, endpoint: 'nothing' }
  const invalid = { code: 'vpn.configuration_invalid' }
  assert.throws(() => facts({ hub: bare }, { wireguard_endpoint_override: 'nothing' }), invalid)
  assert.throws(() => facts({ hub: bare, settings }), invalid)
})

test('the resolver of a Node is planned from its own records, and an override is an address', () => {
  const plan = { server: '10.44.0.1', domains: ['~.'], isDefaultRoute: true, otherServer: null }
  const privateOnly = { ...plan, domains: ['~fleet'], isDefaultRoute: false }
  assert.deepEqual(resolver(), { ...plan, keeper: 'link' })
  assert.deepEqual(resolver({}, false), { ...plan, keeper: 'line' })
  assert.deepEqual(resolver({ id: 1 }), { ...privateOnly, keeper: 'link' })
  assert.deepEqual(resolver({ id: 3 }), { ...privateOnly, keeper: 'unit' })
  assert.deepEqual(resolver({ tld: 'test', dns_server_override: '10.0.0.53' }), {
    ...privateOnly,
    domains: ['~fleet', '~test'],
    keeper: 'link',
    otherServer: '10.0.0.53',
  })
  assert.deepEqual(resolver({ tld: null, dns_server_override: '2001:db8::53' }).domains, ['~fleet'])
  assert.throws(() => resolver({ dns_server_override: 'dns.example.com' }), {
    code: 'vpn.configuration_invalid',
    details: { node: web, member: 'dns_server_override' },
  })
})
