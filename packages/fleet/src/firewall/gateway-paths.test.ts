import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arbitraryForeign, verdictOn } from '#/firewall/packets.test.ts'
import { ownRule } from '#/firewall/ufw/rule.ts'
import { admitsGateway } from '#/firewall/gateway-paths.ts'

const ways = { tunnelAddress: '10.44.0.11', sshPort: 22, publicSshPorts: [22] }

test('rules that surely admit the gateway do so for every gateway, over the tunnel or from outside', () => {
  const gateways = fc.constantFrom('10.44.0.1', '10.44.7.7', '203.0.113.5')
  fc.assert(
    fc.property(fc.array(arbitraryForeign, { maxLength: 6 }), gateways, (rules, from) => {
      if (!admitsGateway(rules, ways)) return
      const packet = { from, protocol: 'tcp', port: 22 } as const
      const tunnel = verdictOn(rules, { ...packet, to: '10.44.0.11', by: 'fleet' })
      const outside = verdictOn(rules, { ...packet, to: '198.51.100.11', by: 'eth0' })
      assert.ok([tunnel, outside].includes('in'))
    }),
    { numRuns: 2000 },
  )
})

test('each way counts for itself', () => {
  const members = ownRule({ action: 'allow', interfaceIn: 'fleet', destination: '10.44.0.11' })
  const open = ownRule({ action: 'allow', protocol: 'tcp', port: '20:25' })
  const deny = ownRule({ action: 'deny', protocol: 'tcp', port: '22', source: '203.0.113.0/24' })
  assert.equal(admitsGateway([members], ways), true)
  assert.equal(admitsGateway([open], ways), true)
  assert.equal(admitsGateway([members], { ...ways, tunnelAddress: null }), false)
  assert.equal(admitsGateway([members], { ...ways, tunnelAddress: '10.44.0.12' }), false)
  assert.equal(admitsGateway([deny, open], ways), false)
  assert.equal(admitsGateway([members, deny], ways), true)
  assert.equal(admitsGateway([ownRule({ action: 'allow', source: '10.0.0.0/8' })], ways), false)
  assert.equal(admitsGateway([], ways), false)
  // What concerns one way alone: by which interface and at which address the gateway comes from outside is not known.
  for (const given of [{ interfaceIn: 'eth0' }, { destination: '198.51.100.11' }]) {
    const outside = ownRule({ action: 'deny', ...given })
    assert.equal(admitsGateway([outside, members], ways), true)
    assert.equal(admitsGateway([outside, open], { ...ways, tunnelAddress: null }), false)
  }
})

for (const [what, given, isAdmitted] of [
  ['for every address and interface', {}, true],
  ['for the address of the tunnel, on any interface', { destination: '10.44.0.11' }, true],
  ['for the interface of the tunnel, at any address', { interfaceIn: 'fleet' }, true],
  ['for another interface, through which the gateway may not come', { interfaceIn: 'eth0' }, false],
  ['for another address, at which the gateway may not ask', { destination: '198.51.100.11' }, false],
  ['for one source, which may not be the gateway', { source: '10.44.0.1' }, false],
  ['for one port of its source', { protocol: 'tcp', sourcePort: '1024' }, false],
  ['for another port', { protocol: 'tcp', port: '80' }, false],
  ['for another protocol', { protocol: 'udp' }, false],
  ['for packets that go out', { direction: 'out' }, false],
] as const)
  test(`a rule that allows everything ${what} ${isAdmitted ? 'admits' : 'does not surely admit'} the gateway`, () => {
    const rule = ownRule({ action: 'allow', ...given })
    assert.equal(admitsGateway([rule], ways), isAdmitted)
    if (!isAdmitted) return
    for (const action of ['deny', 'reject'] as const)
      assert.equal(admitsGateway([ownRule({ action }), rule], ways), false)
  })
