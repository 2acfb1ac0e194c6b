import assert from 'node:assert/strict'
import { fail } from '@fleet/contract'
import { fakeCall, forEachDialect } from '@fleet/testing'
import { EMPTY_RULES, type FirewallWorld, startFirewallWorld } from '#/firewall/world.test.ts'

async function withRule(world: FirewallWorld) {
  const node = await world.addMachine()
  const input = { node: node.id, name: 'web', port: '443', source: 'any', protocol: 'tcp' as const }
  const { data } = await world.domain.handlers['node:firewall:allow']({ call: fakeCall(), input })
  world.ufw.asked.length = 0
  return { node, rule: data }
}

async function remove({ domain }: FirewallWorld, node: { readonly id: number }, offline = false) {
  const call = fakeCall()
  const input = { node: node.id, name: 'web', offline }
  const { data } = await domain.handlers['node:firewall:remove']({ call, input })
  return { data, call }
}

const rows = ({ store }: FirewallWorld) => store.db.selectFrom('firewall_rules').selectAll().execute()

forEachDialect(
  'a rule goes from its Node and then from the records, and is reported [FW-006, EV-047]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const { node, rule } = await withRule(world)
    const { data, call } = await remove(world, node)
    assert.deepEqual(data, rule)
    const { name, action, source, protocol, port } = rule
    assert.deepEqual(call.notes.properties, { name, action, source, protocol, port })
    assert.deepEqual(call.events, [{ type: 'firewall.deleted', data: { id: rule.id, name: 'web' } }])
    assert.deepEqual([await rows(world), world.ufw.asked], [[], ['read', 'load']])
    assert.ok(
      !(world.ufw.rules + world.ufw.rules6 + world.ufw.kernel.join() + world.ufw.kernel6.join()).includes(
        '443',
      ),
    )
    await assert.rejects(remove(world, node), { code: 'firewall.not_found', status: 404 })
  },
)

forEachDialect('a rule that somebody changed or took away on the machine goes too', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const { node } = await withRule(world)
  world.ufw.take(world.ufw.rules.replaceAll('443', '444'), world.ufw.rules6)
  await remove(world, node)
  assert.deepEqual(world.ufw.comments(), ['fleet:wireguard-members'])
})

forEachDialect(
  'a firewall that is off loses the rule from its files, one that is gone has none [FW-022]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const { node } = await withRule(world)
    world.ufw.backend = 'inactive'
    await remove(world, node)
    assert.deepEqual(world.ufw.asked, ['read', 'files'])
    assert.ok(!world.ufw.rules.includes('443'))
    world.ufw.backend = 'active'
    world.ufw.take(EMPTY_RULES, world.ufw.rules6)
    const input = { node: node.id, name: 'web', port: '443', source: 'any', protocol: 'tcp' as const }
    await world.domain.handlers['node:firewall:allow']({ call: fakeCall(), input })
    world.ufw.backend = 'absent'
    await remove(world, node)
    assert.deepEqual(await rows(world), [])
  },
)

forEachDialect(
  'a silent Node keeps its rule until the caller gives the Node up; one that answers is not given up [FW-022]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const { node, rule } = await withRule(world)
    await world.ufw.read()
    world.ufw.onRead = () => {
      throw fail('node.unreachable')
    }
    await assert.rejects(remove(world, node), { code: 'firewall.node_unreachable', status: 502 })
    assert.equal((await rows(world))[0]?.status, 'active')
    const { data, call } = await remove(world, node, true)
    assert.deepEqual([data, call.events.length, await rows(world)], [rule, 1, []])
    assert.ok(world.ufw.rules.includes('443'), 'the machine was not touched')
  },
)

forEachDialect(
  'a Node that the removal of Nodes calls silent is given up with the same consent [FW-022]',
  async (dialect) => {
    for (const code of [
      'node.connection_lost',
      'node.authentication_failed',
      'node.ssh_host_key_changed',
      'node.ssh_host_key_missing',
    ] as const) {
      await using world = await startFirewallWorld(dialect)
      const { node } = await withRule(world)
      world.ufw.onRead = () => {
        throw fail(code)
      }
      await assert.rejects(remove(world, node))
      assert.equal((await rows(world))[0]?.status, 'active')
      await remove(world, node, true)
      assert.deepEqual(await rows(world), [], code)
    }
  },
)

forEachDialect('with `offline` a Node that answers loses the rule as ever', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const { node } = await withRule(world)
  await remove(world, node, true)
  assert.ok(!world.ufw.rules.includes('443'))
})

const breaks: ReadonlyArray<
  readonly [what: string, harm: (world: FirewallWorld) => void, step: string, code: string]
> = [
  [
    'cannot be written',
    ({ ufw }) => void (ufw.refusal = 'storage_read_only'),
    'remove',
    'firewall.remove_failed',
  ],
  [
    'changes nothing',
    ({ ufw }) => void (ufw.forgets = true),
    'remove-verify',
    'firewall.remove_verify_failed',
  ],
  [
    'was sent when the line broke',
    ({ ufw }) => {
      ufw.onWritten = () => {
        ufw.onWritten = () => undefined
        throw fail('node.connection_lost')
      }
    },
    'remove',
    'firewall.remove_failed',
  ],
]
for (const [what, harm, step, code] of breaks) {
  forEachDialect(
    `a removal that ${what} has failed, and the identical request finishes it [FW-002, FW-023]`,
    async (dialect) => {
      await using world = await startFirewallWorld(dialect)
      const { node, rule } = await withRule(world)
      harm(world)
      await assert.rejects(remove(world, node), ({ code: thrown, status, details }) => {
        assert.deepEqual([thrown, status, details.step], [code, 502, step])
        return true
      })
      const [row = assert.fail()] = await rows(world)
      assert.deepEqual([row.status, row.failed_step, row.error_code], ['failed', step, code])
      const { call } = await remove(world, node)
      assert.deepEqual([call.events.length, await rows(world)], [1, []])
      assert.equal(rule.status, 'active')
    },
  )
}

forEachDialect(
  'while it is removed the rule says so, and asking for it again brings it back [FW-002]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const { node, rule } = await withRule(world)
    const seen: string[] = []
    const before = world.ufw.write.bind(world.ufw)
    world.ufw.write = async (...given) => {
      for (const { status } of await rows(world)) seen.push(status)
      return before(...given)
    }
    world.ufw.refusal = 'storage_full'
    await assert.rejects(remove(world, node))
    assert.deepEqual(seen, ['removing'])
    const call = fakeCall()
    const input = { node: node.id, name: 'web', port: '443', source: 'any', protocol: 'tcp' as const }
    const { data, created } = await world.domain.handlers['node:firewall:allow']({ call, input })
    assert.deepEqual([data, created, call.events], [rule, false, []])
  },
)
