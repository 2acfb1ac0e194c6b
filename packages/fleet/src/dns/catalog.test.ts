import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { catalogText, makeLookup, parseCatalog } from '@fleet/dns'
import fc from 'fast-check'
import { catalogOf, type NameSources } from '#/dns/catalog.ts'
import type { NameNode } from '#/dns/rules.ts'

const node = (id: number, given: Partial<NameNode> = {}): NameNode => ({
  id,
  name: `node-${id}`,
  status: 'active',
  address: `10.44.0.${id}`,
  lanAddress: null,
  tld: null,
  clusterId: null,
  roles: [],
  ...given,
})

const role = (name: string, status = 'active') => ({ role: name, status })

const sources = (given: Partial<NameSources> = {}): NameSources => ({
  suffix: 'fleet',
  nodes: [],
  clusters: [],
  routes: [],
  ...given,
})

/** What a requester hears for a name; undefined when it is asked for outside. */
const hear = (given: Partial<NameSources>, name: string, requester = '10.44.0.99'): string | undefined =>
  makeLookup(parseCatalog(catalogText(catalogOf(sources(given)))))(requester, name)?.address

const FLEET: NameSources = {
  suffix: 'fleet',
  nodes: [
    node(1, { roles: [role('gateway'), role('vpn')] }),
    node(2, { roles: [role('app-dev')], tld: 'own', clusterId: 1, lanAddress: '192.168.7.2' }),
    node(3, { roles: [role('router')], clusterId: 1, lanAddress: '192.168.7.3' }),
    node(4, { roles: [role('app-dev'), role('websocket')], tld: 'solo' }),
    node(5, { roles: [role('analytics', 'provisioning'), role('metrics')], address: '10.44.0.50' }),
    node(6, { status: 'failed', address: null }),
  ],
  clusters: [
    { id: 1, state: 'active', tld: 'berlin' },
    { id: 2, state: 'inactive', tld: 'solo' },
  ],
  routes: [
    { domain: 'proxy.berlin', nodeId: 4 },
    { domain: 'shop.example', clusterId: 1 },
  ],
}

test('the catalog of a fleet is this file [RTX-104]', () => {
  const golden = readFileSync(new URL('golden/catalog.json', import.meta.url), 'utf8')
  assert.equal(catalogText(catalogOf(FLEET)), golden)
})

test('a Node-scoped Route or custom proxy answers with its Node, and beats a top-level domain [RTE-162, RTX-108]', () => {
  assert.equal(hear(FLEET, 'proxy.berlin', '10.44.0.2'), '10.44.0.4')
  assert.equal(hear(FLEET, 'other.berlin'), '10.44.0.3')
})

test('names of a Cluster lead to the LAN address of its Router for active members on the LAN [RTX-109]', () => {
  for (const name of ['a.berlin', 'shop.example']) {
    assert.equal(hear(FLEET, name, '10.44.0.2'), '192.168.7.3')
    assert.equal(hear(FLEET, name, '10.44.0.4'), '10.44.0.3')
    assert.equal(hear(FLEET, name), '10.44.0.3')
  }
  const changes: ReadonlyArray<readonly [number, Partial<NameNode>]> = [
    [2, { lanAddress: null }],
    [2, { status: 'failed' }],
    [2, { clusterId: 2 }],
    [3, { lanAddress: null }],
  ]
  for (const [id, change] of changes) {
    const nodes = FLEET.nodes.map((one) => (one.id === id ? { ...one, ...change } : one))
    assert.equal(hear({ ...FLEET, nodes }, 'a.berlin', '10.44.0.2'), '10.44.0.3', JSON.stringify(change))
  }
})

test('names under the top-level domain of an app-dev Node lead there, unless a Cluster has it [RTX-110]', () => {
  assert.equal(hear(FLEET, 'a.solo'), '10.44.0.4')
  const active = { id: 2, state: 'active', tld: 'solo' }
  assert.equal(hear({ ...FLEET, clusters: [active] }, 'a.solo'), undefined)
  const nodes = [node(2, { tld: 'own', roles: [role('app-prod')] })]
  assert.equal(hear({ nodes }, 'a.own'), undefined)
})

test('platform names lead to their Nodes, and other names of the suffix nowhere [RTX-111, GW-001]', () => {
  assert.equal(hear(FLEET, 'gateway.fleet'), '10.44.0.1')
  assert.equal(hear(FLEET, 'metrics.fleet'), '10.44.0.1')
  assert.equal(hear(FLEET, 'reverb.fleet'), '10.44.0.4')
  assert.equal(hear(FLEET, 'analytics.fleet'), '10.44.0.50')
  for (const name of ['fleet', 'cli-proxy-api.fleet', 'a.gateway.fleet'])
    assert.equal(hear(FLEET, name), undefined)
  const nodes = FLEET.nodes.filter(({ id }) => id !== 5)
  assert.equal(hear({ ...FLEET, nodes }, 'metrics.fleet'), undefined)
  assert.equal(hear({ ...FLEET, nodes }, 'analytics.fleet'), undefined)
})

test('a Node answers under its own name, but for names of the platform, and before a Route', () => {
  const nodes = [
    node(1, { name: 'first', roles: [role('gateway')] }),
    node(2, { name: 'Web-2' }),
    node(3, { name: 'web-2' }),
    node(4, { name: 'gateway' }),
    node(5, { name: '-odd' }),
    node(6, { name: 'none', address: null }),
  ]
  const routes = [
    { domain: 'first.fleet', nodeId: 3 },
    { domain: 'shop.fleet', nodeId: 3 },
  ]
  const answers = ['first', 'web-2', 'gateway', '-odd', 'none', 'shop'].map((name) =>
    hear({ nodes, routes }, `${name}.fleet`),
  )
  assert.deepEqual(answers, ['10.44.0.1', '10.44.0.2', '10.44.0.1', undefined, undefined, '10.44.0.3'])
  assert.deepEqual(catalogOf(sources({ nodes: [node(5, { name: '-odd' })] })).records, {})
})

test('the suffix is a setting [GW-059]', () => {
  assert.equal(hear({ ...FLEET, suffix: 'corp.internal' }, 'gateway.corp.internal'), '10.44.0.1')
  assert.equal(hear({ ...FLEET, suffix: 'corp.internal' }, 'gateway.fleet'), undefined)
})

const HOLDERS: ReadonlyArray<readonly [string, readonly NameNode[], string | undefined]> = [
  ['an active role', [node(2, { roles: [role('gateway')] })], '10.44.0.2'],
  ['a role that is being made', [node(2, { roles: [role('gateway', 'provisioning')] })], '10.44.0.2'],
  ['a failed role', [node(2, { roles: [role('gateway', 'failed')] })], undefined],
  ['a role that goes', [node(2, { roles: [role('gateway', 'removing')] })], undefined],
  ['no address', [node(2, { address: null, roles: [role('gateway')] })], undefined],
  [
    'of two the active Node',
    [
      node(2, { status: 'provisioning', roles: [role('gateway')] }),
      node(3, { roles: [role('gateway', 'provisioning')] }),
    ],
    '10.44.0.3',
  ],
  [
    'of two active Nodes the one whose role is active',
    [node(2, { roles: [role('gateway', 'provisioning')] }), node(3, { roles: [role('gateway')] })],
    '10.44.0.3',
  ],
  [
    'of two alike the older',
    [node(3, { roles: [role('gateway')] }), node(2, { roles: [role('gateway')] })],
    '10.44.0.2',
  ],
]
for (const [title, nodes, address] of HOLDERS) {
  test(`who holds a role: ${title} [RTX-113]`, () => assert.equal(hear({ nodes }, 'gateway.fleet'), address))
}

const TLDS = ['own', 'solo', 'berlin', 'a.berlin', '7']
const DOMAINS = ['shop.own', 'shop.a.berlin', 'x.7', 'deep.shop.solo', 'gateway.fleet', 'example.org']
const status = fc.constantFrom('active', 'provisioning', 'failed', 'removing')
const arbitraryNode = (id: number): fc.Arbitrary<NameNode> =>
  fc.record({
    id: fc.constant(id),
    name: fc.constantFrom('gateway', 'Web_1', '-', `node-${id}`),
    status: fc.constantFrom('active', 'provisioning', 'failed'),
    address: fc.constantFrom(null, `10.44.0.${id}`),
    lanAddress: fc.constantFrom(null, `192.168.7.${id}`),
    tld: fc.constantFrom(null, ...TLDS),
    clusterId: fc.constantFrom(null, 1, 2),
    roles: fc.uniqueArray(
      fc.record({ role: fc.constantFrom('gateway', 'metrics', 'router', 'app-dev', 'vpn'), status }),
      { selector: ({ role: name }) => name },
    ),
  })
const arbitrarySources: fc.Arbitrary<NameSources> = fc.record({
  suffix: fc.constant('fleet'),
  nodes: fc.tuple(...[1, 2, 3, 4, 5].map(arbitraryNode)),
  clusters: fc
    .tuple(
      fc.constantFrom('active', 'inactive'),
      fc.constantFrom(null, ...TLDS),
      fc.constantFrom(null, 'paris'),
    )
    .map(([state, tld, other]) => [
      { id: 1, state, tld },
      { id: 2, state: 'active', tld: other },
    ]),
  routes: fc.uniqueArray(
    fc.oneof(
      fc.record({ domain: fc.constantFrom(...DOMAINS), nodeId: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ domain: fc.constantFrom(...DOMAINS), clusterId: fc.integer({ min: 1, max: 3 }) }),
    ),
    { selector: ({ domain }) => domain },
  ),
})

test('every catalog is whole, only overrides what it answers, and says LAN addresses to members alone [RTX-112]', () => {
  fc.assert(
    fc.property(arbitrarySources, fc.constantFrom(...DOMAINS, 'a.paris'), (given, name) => {
      const catalog = catalogOf(given)
      assert.deepEqual(parseCatalog(catalogText(catalog)), catalog)
      const lookup = makeLookup(catalog)
      const common = lookup('203.0.113.1', name)?.address
      assert.ok(common === undefined || common.startsWith('10.44.'))
      for (const { id, address, status: state, clusterId, lanAddress } of given.nodes) {
        const own = lookup(address ?? '203.0.113.1', name)?.address
        assert.equal(own === undefined, common === undefined)
        if (own === common) continue
        assert.ok(own?.startsWith('192.168.7.'), `${id}`)
        const cluster = given.clusters.find((one) => one.id === clusterId)
        assert.deepEqual([state, lanAddress !== null, cluster?.state], ['active', true, 'active'])
      }
      for (const own of Object.values(catalog.overrides)) {
        for (const key of Object.keys(own.records)) assert.ok(Object.hasOwn(catalog.records, key))
        for (const key of Object.keys(own.suffixes)) assert.ok(Object.hasOwn(catalog.suffixes, key))
      }
    }),
    { numRuns: 500 },
  )
})
