import assert from 'node:assert/strict'
import { fail, liveFirewall } from '@fleet/contract'
import { fakeCall, forEachDialect } from '@fleet/testing'
import { type FirewallWorld, startFirewallWorld } from '#/firewall/world.test.ts'

async function live({ domain }: FirewallWorld, node: { readonly id: number }) {
  const { data } = await domain.handlers['node:firewall:live']({ call: fakeCall(), input: { node: node.id } })
  return liveFirewall.parse(data)
}

/** A Node with the member rule and an operator's rule, both as they should be. */
async function withRules(world: FirewallWorld) {
  const node = await world.addMachine({ roles: ['app-dev'] })
  const input = { node: node.id, name: 'web', port: '443', source: 'any', protocol: 'tcp' as const }
  await world.domain.handlers['node:firewall:allow']({ call: fakeCall(), input })
  return node
}

const short = (rules: Awaited<ReturnType<typeof live>>['live']) =>
  rules.map(({ name, family, match }) => `${name} ${family} ${match}`)

const edit = ({ ufw }: FirewallWorld, from: string | RegExp, to: string): void => {
  ufw.take(ufw.rules.replace(from, to), ufw.rules6)
  ufw.load()
}

forEachDialect(
  'live rules are shown in their order with everything that they say [FW-013, FW-014]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await withRules(world)
    edit(
      world,
      '### END RULES ###',
      '### tuple ### reject any any 1.2.3.4 any 0.0.0.0/0 out_eth0\n-A ufw-user-output -o eth0 -d 1.2.3.4 -j REJECT\n\n### END RULES ###',
    )
    const { backend_status, live: rules, missing } = await live(world, node)
    assert.deepEqual([backend_status, missing], ['active', []])
    const web = {
      name: 'web',
      comment: `fleet:node:${node.id}:firewall:web`,
      action: 'allow',
      source: 'any',
      destination: 'any',
      port: '443',
      protocol: 'tcp',
      interface: null,
      direction: 'in',
    } as const
    assert.deepEqual(rules, [
      {
        name: 'wireguard-members',
        comment: 'fleet:wireguard-members',
        action: 'allow',
        source: 'any',
        destination: node.wireguard_ip,
        port: 'any',
        protocol: 'any',
        interface: 'fleet',
        direction: 'in',
        family: 'ipv4',
        match: 'exact',
      },
      { ...web, family: 'ipv4', match: 'exact' },
      {
        name: null,
        comment: null,
        action: 'reject',
        source: 'any',
        destination: '1.2.3.4',
        port: 'any',
        protocol: 'any',
        interface: 'eth0',
        direction: 'out',
        family: 'ipv4',
        match: 'unmanaged',
      },
      { ...web, family: 'ipv6', match: null },
    ])
  },
)

forEachDialect(
  'a rule with other values, out of force or unknown to the records is drift, an absent one missing [FW-014]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await withRules(world)
    const { rules } = world.ufw
    edit(world, /443/g, '444')
    assert.deepEqual(short((await live(world, node)).live), [
      'wireguard-members ipv4 exact',
      'web ipv4 drift',
      'web ipv6 null',
    ])
    edit(world, /443|444/g, '443')
    world.ufw.kernel = []
    assert.deepEqual(short((await live(world, node)).live.slice(0, 2)), [
      'wireguard-members ipv4 drift',
      'web ipv4 drift',
    ])
    world.ufw.load()
    await world.store.db.deleteFrom('firewall_rules').execute()
    assert.equal(short((await live(world, node)).live)[1], 'web ipv4 drift')
    world.ufw.take(rules.replace(/### tuple ### allow any any[^#]*/, ''), world.ufw.rules6)
    assert.deepEqual(short((await live(world, node)).missing), ['wireguard-members ipv4 missing'])
  },
)

forEachDialect(
  'a firewall that is off or absent has no live rules, and misses all; a Node that does not answer is a failure, and the end of the request is its own [FW-022, GW-031]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await withRules(world)
    const all = ['wireguard-members ipv4 missing', 'web ipv4 missing']
    for (const backend of ['inactive', 'absent'] as const) {
      world.ufw.backend = backend
      const answer = await live(world, node)
      assert.deepEqual([answer.backend_status, answer.live, short(answer.missing)], [backend, [], all])
    }
    for (const code of ['node.unreachable', 'node.connection_lost', 'command.deadline_exceeded'] as const) {
      world.ufw.onRead = () => {
        throw fail(code, { details: { outcome: 'timeout' } })
      }
      await assert.rejects(live(world, node), {
        code: 'firewall.node_unreachable',
        details: { node: { id: node.id, name: node.name }, error_code: code },
      })
    }
    world.ufw.onRead = () => {
      throw fail('node.ssh_host_key_changed')
    }
    await assert.rejects(live(world, node), { code: 'node.ssh_host_key_changed' })
    world.ufw.onRead = () => {
      throw fail('command.deadline_exceeded', { details: { outcome: 'deadline' } })
    }
    await assert.rejects(live(world, node), { code: 'command.deadline_exceeded' })
    const embedded = await world.addMachine({ wireguard_ip: '127.44.0.11' })
    assert.equal((await live(world, embedded)).backend_status, 'absent')
  },
)
