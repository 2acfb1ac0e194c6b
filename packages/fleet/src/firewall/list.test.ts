import assert from 'node:assert/strict'
import { addGrant, addNode, asCaller, fakeCall, forEachDialect } from '@fleet/testing'
import { startFirewallWorld } from '#/firewall/world.test.ts'

forEachDialect(
  'rules of the Nodes that the caller may address are listed by Node and name, without a word to a Node [FW-003, FW-004]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const [caller, b, a, foreign] = [
      await addNode(world.store, { name: 'caller' }),
      await addNode(world.store, { name: 'b' }),
      await addNode(world.store, { name: 'a' }),
      await addNode(world.store, { name: 'foreign' }),
    ]
    for (const serving of [a, b]) await addGrant(world.store, caller, serving)
    for (const [node, name] of [
      [b, 'z'],
      [b, 'a'],
      [a, 'k'],
      [foreign, 'x'],
      [caller, 'own'],
    ] as const)
      await world.store.db
        .insertInto('firewall_rules')
        .values({
          node_id: node.id,
          name,
          action: 'allow',
          source: 'any',
          protocol: 'tcp',
          port: '80',
          status: 'active',
          created_at: '2026-01-02T03:04:05.000Z',
        })
        .execute()
    const { handlers } = world.domain
    const { data } = await handlers['firewall:list']({
      call: fakeCall({ caller: asCaller(caller) }),
      input: {},
    })
    assert.deepEqual(
      data.map(({ node, name }) => `${node} ${name}`),
      ['a k', 'b a', 'b z', 'caller own'],
    )
    const one = await handlers['node:firewall:list']({ call: fakeCall(), input: { node: b.id } })
    assert.deepEqual(
      one.data.map(({ name, node_id, backend_status }) => [name, node_id, backend_status]),
      [
        ['a', b.id, null],
        ['z', b.id, null],
      ],
    )
    assert.deepEqual(world.ufw.asked, [])
  },
)

forEachDialect('a grant that comes or goes is no matter of any firewall [FW-032]', async (dialect) => {
  await using world = await startFirewallWorld(dialect)
  const [consumer, serving] = [await addNode(world.store), await world.addMachine()]
  const input = { consumer: consumer.id, serving: serving.id }
  await world.nodes.handlers['node:access:add']({ call: fakeCall(), input })
  await world.nodes.handlers['node:access:remove']({ call: fakeCall(), input })
  assert.deepEqual([world.ufw.asked, world.pool.commands], [[], []])
})
