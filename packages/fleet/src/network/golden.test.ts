import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hubConfiguration, peerConfiguration } from '#/network/configuration.ts'
import { linkState, planResolver, unitDropIn } from '#/network/resolver-plan.ts'

const key = (letter: string): string => `${letter.repeat(42)}A=`

const facts = {
  server: '10.44.0.1',
  suffix: 'fleet',
  tld: 'web.test',
  isHub: false,
  isGateway: false,
  isManaged: true,
  override: null,
}

test('a hub admits each peer under its own address, in the order of Nodes, and knows where it listens', () => {
  const peers = [
    { nodeId: 7, publicKey: key('c'), address: '10.44.0.3', publicHost: 'web.example.com' },
    { nodeId: 2, publicKey: key('b'), address: '10.44.0.2', publicHost: '203.0.113.2' },
    { nodeId: 9, publicKey: key('d'), address: '10.44.0.4', publicHost: '2001:db8::9' },
    { nodeId: 10, publicKey: key('e'), address: '10.44.0.5', publicHost: '127.0.0.1' },
  ]
  assert.equal(
    hubConfiguration({ address: '10.44.0.1', prefix: 16, port: 51_820, peers }),
    `Address = 10.44.0.1/16
ListenPort = 51820
PostUp = sh /etc/wireguard/fleet.hook up %i
PostUp = sh /etc/wireguard/fleet.hook forward %i
PostDown = sh /etc/wireguard/fleet.hook unforward %i

# node 2
[Peer]
PublicKey = ${key('b')}
AllowedIPs = 10.44.0.2/32
Endpoint = 203.0.113.2:41820

# node 7
[Peer]
PublicKey = ${key('c')}
AllowedIPs = 10.44.0.3/32

# node 9
[Peer]
PublicKey = ${key('d')}
AllowedIPs = 10.44.0.4/32
Endpoint = [2001:db8::9]:41820

# node 10
[Peer]
PublicKey = ${key('e')}
AllowedIPs = 10.44.0.5/32
`,
  )
})

const peer = (isManaged: boolean, host = '203.0.113.9'): string =>
  peerConfiguration({
    address: '10.44.0.7',
    hub: { publicKey: key('b'), endpoint: { host, port: 51_820 } },
    range: '10.44.0.0/16',
    resolver: planResolver({ ...facts, isManaged }),
  })

test('a peer knows the hub alone, reaches the whole range through it and keeps the way back open', () => {
  assert.equal(
    peer(true),
    `Address = 10.44.0.7/32
ListenPort = 41820
PostUp = sh /etc/wireguard/fleet.hook up %i

[Peer]
PublicKey = ${key('b')}
AllowedIPs = 10.44.0.0/16
Endpoint = 203.0.113.9:51820
PersistentKeepalive = 25
`,
  )
  assert.ok(peer(true, '2001:db8::1').includes('\nEndpoint = [2001:db8::1]:51820\n'))
})

test('a peer without roles has a DNS line that names the hub, and nothing else differs [NODE-065]', () => {
  assert.equal(peer(false).replace('DNS = 10.44.0.1\n', ''), peer(true))
  assert.ok(peer(false).includes('\nDNS = 10.44.0.1\n'))
})

test('a managed peer asks the fleet for everything, kept by the state of its link [NODE-130]', () => {
  const plan = planResolver(facts)
  assert.equal(
    linkState(plan),
    '# Written by Fleet. Changes made here are replaced.\ndns 10.44.0.1\ndomains ~.\ndefault-route yes\n',
  )
  assert.equal(unitDropIn(plan), '')
})

test('a peer with a DNS server of its own asks the fleet for the suffix and its top-level domain [NODE-131]', () => {
  for (const isManaged of [true, false]) {
    const plan = planResolver({ ...facts, isManaged, override: '192.0.2.7' })
    assert.deepEqual(plan, {
      keeper: 'link',
      server: '10.44.0.1',
      domains: ['~fleet', '~web.test'],
      isDefaultRoute: false,
      otherServer: '192.0.2.7',
    })
  }
  assert.deepEqual(planResolver({ ...facts, tld: null, override: '192.0.2.7' }).domains, ['~fleet'])
})

test('hub and gateway ask the fleet for private names alone, whatever else is recorded [NODE-132]', () => {
  const privateOnly = { server: '10.44.0.1', domains: ['~fleet'], isDefaultRoute: false, otherServer: null }
  for (const other of [{}, { isHub: true }, { override: '192.0.2.7' }, { isManaged: false }])
    assert.deepEqual(planResolver({ ...facts, ...other, isGateway: true }), {
      ...privateOnly,
      keeper: 'unit',
    })
  assert.deepEqual(planResolver({ ...facts, isHub: true }), { ...privateOnly, keeper: 'link' })
})
