import assert from 'node:assert/strict'
import { fail, firewallRule } from '@fleet/contract'
import { addRole, fakeCall, forEachDialect, testDomains } from '@fleet/testing'
import { type FirewallWorld, startFirewallWorld } from '#/firewall/world.test.ts'

interface GivenRule {
  readonly action?: 'allow' | 'deny'
  readonly name?: string
  readonly port?: string
  readonly source?: string
  readonly protocol?: 'tcp' | 'udp'
}

async function add(
  { domain }: FirewallWorld,
  node: { readonly id: number },
  { action = 'allow', ...given }: GivenRule = {},
) {
  const call = fakeCall()
  const input = { name: 'web', port: '443', source: 'any', protocol: 'tcp' as const, ...given, node: node.id }
  const outcome = await domain.handlers[`node:firewall:${action}`]({ call, input })
  return { ...outcome, call }
}

const rows = ({ store }: FirewallWorld) =>
  store.db.selectFrom('firewall_rules').selectAll().orderBy('id').execute()

forEachDialect(
  'a rule is written with the comment of its Node and name, stored and published [FW-001, FW-005, FW-016, EV-046]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await world.addMachine()
    const { data, created, call } = await add(world, node, { port: '8000:8100', source: '192.0.2.0/24' })
    assert.deepEqual(data, {
      id: data.id,
      node_id: node.id,
      node: node.name,
      name: 'web',
      action: 'allow',
      source: '192.0.2.0/24',
      protocol: 'tcp',
      port: '8000:8100',
      status: 'active',
      backend_status: 'active',
      failed_step: null,
      error_code: null,
    })
    assert.deepEqual(firewallRule.parse(data), data)
    assert.equal(created, true)
    assert.deepEqual(call.events, [{ type: 'firewall.created', data }])
    assert.equal(call.notes.subject, `firewall_rule:${data.id}`)
    const { name, action, source, protocol, port } = data
    assert.deepEqual(call.notes.properties, { name, action, source, protocol, port })
    const comment = Buffer.from(`fleet:node:${node.id}:firewall:web`).toString('hex')
    assert.ok(
      world.ufw.rules.includes(
        `### tuple ### allow tcp 8000:8100 0.0.0.0/0 any 192.0.2.0/24 in comment=${comment}\n` +
          '-A ufw-user-input -p tcp -m multiport --dports 8000:8100 -s 192.0.2.0/24 -j ACCEPT\n',
      ),
    )
    assert.ok(!world.ufw.rules6?.includes(comment), 'an IPv4 source has no place among the rules for IPv6')
  },
)

forEachDialect(
  'the identical request answers the stored rule, reports nothing and writes nothing [FW-017, EV-087]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await world.addMachine()
    const first = await add(world, node)
    world.ufw.asked.length = 0
    const second = await add(world, node)
    assert.deepEqual(second.data, first.data)
    assert.equal(second.created, false)
    assert.deepEqual(second.call.events, [])
    assert.deepEqual(world.ufw.asked, ['read'])
    assert.equal((await rows(world)).length, 1)
  },
)

forEachDialect(
  'the identical request puts a rule back that somebody took from the machine',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await world.addMachine()
    await add(world, node)
    const { rules, rules6 } = world.ufw
    world.ufw.take(rules.replace(/### tuple ### allow tcp 443[^#]*/, ''), rules6)
    const { created, call } = await add(world, node)
    assert.deepEqual([created, call.events], [false, []])
    assert.deepEqual([world.ufw.rules, world.ufw.rules6], [rules, rules6])
    world.ufw.kernel = []
    await add(world, node)
    assert.ok(world.ufw.kernel.some((line) => line.includes('--dport 443')))
  },
)

forEachDialect('a name belongs to one rule of its Node [FW-007, FW-018]', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const [node, other] = [await world.addMachine(), await world.addMachine({ wireguard_ip: '10.44.0.12' })]
  await add(world, node)
  const others: readonly GivenRule[] = [
    { port: '444' },
    { source: '192.0.2.1' },
    { protocol: 'udp' },
    { action: 'deny' },
  ]
  for (const asked of others)
    await assert.rejects(add(world, node, asked), { code: 'firewall.name_taken', status: 409 })
  assert.equal((await add(world, other, { port: '444' })).created, true)
})

forEachDialect(
  'the name of a rule of Fleet itself is taken, whether it stands or not [FW-015]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await world.addMachine()
    for (const name of ['wireguard-members', 'public-ssh-recovery', 'ingress-http', 'vpn-hub'])
      await assert.rejects(add(world, node, { name }), { code: 'firewall.name_taken' })
    assert.deepEqual([await rows(world), world.ufw.asked], [[], []])
  },
)

forEachDialect('the opposite of a rule with the same values is refused [FW-019]', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const node = await world.addMachine()
  await add(world, node, { source: '192.0.2.1' })
  const opposite = { action: 'deny', name: 'other', source: '192.0.2.1' } as const
  await assert.rejects(add(world, node, opposite), ({ code, details }) => {
    assert.deepEqual([code, details.rule], ['firewall.action_conflict', { name: 'web' }])
    return true
  })
  for (const asked of [{ source: '192.0.2.2' }, { protocol: 'udp' }, { port: '442' }] as const)
    assert.equal(
      (await add(world, node, { ...opposite, name: `web-${Object.keys(asked)[0]}`, ...asked })).created,
      true,
    )
})

forEachDialect(
  'a denial that covers a way of the gateway is refused, whatever its source [FW-020]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await world.addMachine({ public_ssh_port: 2222, ssh_port: 22 })
    const closing: readonly (readonly [asked: GivenRule, closes: string])[] = [
      [{ port: '22' }, 'public_ssh'],
      [{ port: '2222' }, 'public_ssh'],
      [{ port: '1:65535' }, 'public_ssh'],
      [{ port: '22:23', source: '192.0.2.1' }, 'public_ssh'],
      [{ port: '21:22', source: '2001:db8::/32' }, 'public_ssh'],
      [{ port: '41820', protocol: 'udp' }, 'tunnel'],
    ]
    for (const [asked, closes] of closing)
      await assert.rejects(add(world, node, { action: 'deny', ...asked }), ({ code, status, details }) => {
        assert.deepEqual([code, status, details], ['firewall.public_ssh_deny_forbidden', 409, { closes }])
        return true
      })
    const fine: readonly GivenRule[] = [
      { port: '23:2221' },
      { port: '22', protocol: 'udp' },
      { port: '443' },
      { port: '51820', protocol: 'udp' },
    ]
    for (const [at, asked] of fine.entries())
      assert.equal((await add(world, node, { action: 'deny', name: `rule-${at}`, ...asked })).created, true)
    assert.equal((await add(world, node, { port: '22' })).created, true, 'an allowance closes nothing')
  },
)

forEachDialect(
  'on the Nodes of gateway and hub their ports are ways of the gateway too, whatever the status of the role [FW-020]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await world.addMachine()
    await addRole(world.store, { node_id: node.id, role: 'gateway', status: 'failed' })
    await addRole(world.store, { node_id: node.id, role: 'vpn', status: 'provisioning' })
    for (const asked of [{ port: '400:500' }, { port: '51820', protocol: 'udp' }] as const)
      await assert.rejects(add(world, node, { action: 'deny', ...asked }), {
        code: 'firewall.public_ssh_deny_forbidden',
      })
  },
)

forEachDialect(
  'rules on the machine that bear the comment and say something else are left alone [FW-021]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await world.addMachine()
    await add(world, node, { port: '8443' })
    const theirs = world.ufw.rules.replaceAll('8443', '9443')
    world.ufw.take(theirs, world.ufw.rules6)
    await assert.rejects(add(world, node, { port: '8443' }), { code: 'firewall.rule_collision', status: 409 })
    assert.equal(world.ufw.rules, theirs)
  },
)

forEachDialect(
  'a machine whose firewall is off or absent takes no rule, and nothing is stored [FW-022]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await world.addMachine()
    world.ufw.backend = 'inactive'
    await assert.rejects(add(world, node), { code: 'firewall.backend_inactive', status: 409 })
    world.ufw.backend = 'absent'
    await assert.rejects(add(world, node), { code: 'node.capability_missing', status: 409 })
    world.ufw.backend = 'active'
    world.ufw.rules6 = undefined
    await assert.rejects(add(world, node, { source: '2001:db8::1' }), {
      code: 'firewall.platform_unsupported',
      status: 422,
    })
    assert.deepEqual(await rows(world), [])
  },
)

forEachDialect(
  'embedded Nodes, Macs and Nodes that are not active are not asked at all [FW-022]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const refused = [
      [{ wireguard_ip: '127.44.0.11' }, 'node.capability_missing'],
      [{ platform: 'macos', wireguard_ip: '10.44.0.12' }, 'firewall.platform_unsupported'],
      [{ status: 'failed' }, 'node.not_active'],
    ] as const
    for (const [given, code] of refused)
      await assert.rejects(add(world, await world.addMachine(given)), { code })
    assert.deepEqual(world.ufw.asked, [])
  },
)

forEachDialect('a Node that does not answer keeps everything as it was [FW-022]', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const node = await world.addMachine()
  world.ufw.onRead = () => {
    throw fail('node.unreachable')
  }
  await assert.rejects(add(world, node), ({ code, status, details }) => {
    assert.deepEqual(
      [code, status, details.error_code],
      ['firewall.node_unreachable', 502, 'node.unreachable'],
    )
    return true
  })
  world.ufw.onRead = () => {
    throw fail('node.ssh_host_key_changed')
  }
  await assert.rejects(add(world, node), { code: 'node.ssh_host_key_changed' })
  assert.deepEqual(await rows(world), [])
})

const breaks: ReadonlyArray<
  readonly [what: string, harm: (world: FirewallWorld) => void, step: string, code: string]
> = [
  ['cannot be written', ({ ufw }) => void (ufw.refusal = 'storage_full'), 'apply', 'firewall.apply_failed'],
  ['does not show', ({ ufw }) => void (ufw.forgets = true), 'verify', 'firewall.verify_failed'],
  [
    'was sent when the line broke',
    ({ ufw }) => {
      ufw.onWritten = () => {
        ufw.onWritten = () => undefined
        throw fail('node.connection_lost')
      }
    },
    'apply',
    'firewall.apply_failed',
  ],
]
for (const [what, harm, step, code] of breaks) {
  forEachDialect(
    `a rule that ${what} has failed, and the identical request finishes it [FW-002, FW-023]`,
    async (dialect) => {
      await using world = await startFirewallWorld(dialect)
      const node = await world.addMachine()
      harm(world)
      await assert.rejects(add(world, node), ({ code: thrown, status, details }) => {
        assert.deepEqual([thrown, status, details.step], [code, 502, step])
        return true
      })
      const [row = assert.fail()] = await rows(world)
      assert.deepEqual([row.status, row.failed_step, row.error_code], ['failed', step, code])
      const { data, created, call } = await add(world, node)
      assert.deepEqual(
        [data.id, data.status, data.failed_step, data.error_code],
        [row.id, 'active', null, null],
      )
      assert.deepEqual([created, call.events.length], [true, 1])
    },
  )
}

forEachDialect('a rule whose request died is finished by the identical one [FW-002]', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const node = await world.addMachine()
  await add(world, node)
  await world.store.db
    .updateTable('firewall_rules')
    .set({ status: 'provisioning', backend_status: null })
    .execute()
  const { data, created, call } = await add(world, node)
  assert.deepEqual([data.status, created, call.events.length], ['active', true, 1])
})

forEachDialect('a standing rule stays active when looking after it fails', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const node = await world.addMachine()
  await add(world, node)
  world.ufw.kernel = []
  world.ufw.refusal = 'load_failed'
  await assert.rejects(add(world, node), { code: 'firewall.apply_failed' })
  assert.equal((await rows(world))[0]?.status, 'active')
})

forEachDialect(
  'a rule that changes at the machine between reading and writing is read again',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const node = await world.addMachine()
    const foreign =
      '### tuple ### allow tcp 25 0.0.0.0/0 any 0.0.0.0/0 in\n-A ufw-user-input -p tcp --dport 25 -j ACCEPT\n'
    let reads = 0
    world.ufw.onRead = () => {
      reads += 1
      // After the first answer has been made, so that it is old when the rules come.
      if (reads === 1)
        queueMicrotask(() =>
          world.ufw.take(
            world.ufw.rules.replace('### RULES ###\n', `### RULES ###\n\n${foreign}`),
            world.ufw.rules6,
          ),
        )
    }
    await add(world, node)
    assert.deepEqual(world.ufw.asked, ['read', 'load', 'read', 'load'])
    assert.ok(world.ufw.rules.includes(foreign))
  },
)

forEachDialect('two identical requests at the same moment make one rule', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const node = await world.addMachine()
  const outcomes = await Promise.all([1, 2, 3].map(() => add(world, node)))
  assert.equal(outcomes.filter(({ created }) => created).length, 1)
  assert.equal((await rows(world)).length, 1)
})

forEachDialect(
  'a denial that would keep nothing out is refused with the rule that admits first, any other is made',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const { network } = testDomains({ store: world.store, ssh: world.pool })
    await network.configure({ range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
    const node = await world.addMachine({ roles: ['ingress'] })
    world.servesPublicRoutes = true
    const idle = [
      [{ source: '10.44.0.7', port: '3306' }, 'wireguard-members'],
      [{ source: '10.44.7.0/24', port: '1000:2000' }, 'wireguard-members'],
      [{ port: '80' }, 'ingress-http'],
      [{ port: '443', source: '2001:db8::/32' }, 'ingress-https'],
    ] as const
    for (const [asked, name] of idle)
      await assert.rejects(add(world, node, { action: 'deny', ...asked }), {
        code: 'firewall.deny_without_effect',
        details: { admitted_by: { name } },
      })
    assert.deepEqual(await rows(world), [])
    const working: readonly GivenRule[] = [
      { source: '10.0.0.0/8', port: '3306' },
      { source: '192.0.2.1', port: '3306' },
      { source: 'any', port: '3306' },
      { port: '80:81' },
      { port: '443', protocol: 'udp' },
    ]
    for (const [at, asked] of working.entries())
      assert.equal((await add(world, node, { action: 'deny', name: `works-${at}`, ...asked })).created, true)
    assert.equal((await add(world, node, { source: '10.44.0.7', port: '3307' })).created, true)
  },
)
