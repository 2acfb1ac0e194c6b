import assert from 'node:assert/strict'
import {
  addGatewayNode,
  addGrant,
  addNode,
  asCaller,
  fakeCall,
  forEachDialect,
  startNodesFleet,
  type NodesFleet,
} from '@fleet/testing'

const grants = (fleet: NodesFleet) =>
  fleet.store.db.selectFrom('node_grants').select(['consumer_node_id', 'serving_node_id']).execute()

forEachDialect(
  'a grant is added once and named both times [GRANT-001, GRANT-003, GRANT-005]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [serving, consumer] = [await addNode(fleet.store), await addNode(fleet.store)]
    const add = () =>
      fleet.nodes.handlers['node:access:add']({
        call: fakeCall(),
        input: { serving: serving.id, consumer: consumer.id },
      })
    const identities = {
      consumer_node: { id: consumer.id, name: consumer.name },
      serving_node: { id: serving.id, name: serving.name },
    }
    assert.deepEqual((await add()).data, { ...identities, already_exists: false })
    assert.deepEqual((await add()).data, { ...identities, already_exists: true })
    assert.deepEqual(await grants(fleet), [{ consumer_node_id: consumer.id, serving_node_id: serving.id }])
    assert.equal(await fleet.nodes.nodes.mayActOn(consumer.id, serving.id), true)
    assert.equal(await fleet.nodes.nodes.mayActOn(serving.id, consumer.id), false)
  },
)

forEachDialect(
  'a grant of a Node to itself is never stored, because it always holds [GRANT-009, GW-007]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store)
    const input = { serving: node.id, consumer: node.id }
    const call = fakeCall({ caller: asCaller(node) })
    assert.equal((await fleet.nodes.handlers['node:access:add']({ call, input })).data.already_exists, true)
    assert.deepEqual(await grants(fleet), [])
    const { data } = await fleet.nodes.handlers['node:access:remove']({ call, input })
    assert.deepEqual([data.already_absent, data.self_lockout], [true, false])
    assert.equal(await fleet.nodes.nodes.mayActOn(node.id, node.id), true)
  },
)

forEachDialect(
  'who revokes its own access gets one notice [GRANT-004, GRANT-005, GRANT-006]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [serving, consumer] = [await addNode(fleet.store), await addNode(fleet.store)]
    const input = { serving: serving.id, consumer: consumer.id }
    const remove = async (caller = consumer) => {
      const call = fakeCall({ caller: asCaller(caller) })
      const { data } = await fleet.nodes.handlers['node:access:remove']({ call, input })
      return [data.consumer_node, data.serving_node, data.already_absent, data.self_lockout]
    }
    const identities = [
      { id: consumer.id, name: consumer.name },
      { id: serving.id, name: serving.name },
    ]
    await fleet.nodes.handlers['node:access:add']({ call: fakeCall(), input })
    assert.deepEqual(await remove(), [...identities, false, true])
    assert.deepEqual(await remove(), [...identities, true, false])
    await fleet.nodes.handlers['node:access:add']({ call: fakeCall(), input })
    assert.deepEqual(await remove(serving), [...identities, false, false])
  },
)

for (const operation of ['node:access:add', 'node:access:remove'] as const) {
  forEachDialect(`${operation} knows both Nodes or refuses`, async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store)
    for (const input of [
      { serving: node.id, consumer: 99 },
      { serving: 99, consumer: node.id },
    ]) {
      const refused = fleet.nodes.handlers[operation]({ call: fakeCall(), input })
      await assert.rejects(refused, { code: 'node.not_found', status: 404 })
    }
  })
}

forEachDialect('adding and removing a grant tells no event [GRANT-014]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const [serving, consumer] = [await addNode(fleet.store), await addNode(fleet.store)]
  const input = { serving: serving.id, consumer: consumer.id }
  for (const name of ['node:access:add', 'node:access:remove'] as const) {
    const call = fakeCall({ caller: asCaller(consumer) })
    await fleet.nodes.handlers[name]({ call, input })
    assert.deepEqual(call.events, [], name)
  }
})

forEachDialect(
  'addresses are barred whose Node is not active or holds no grant on the active gateway [ACC-005, GW-005]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { store } = fleet
    const gateway = await addGatewayNode(store)
    const [granted, other, failed] = [
      await addNode(store, { wireguard_ip: '10.44.0.21' }),
      await addNode(store, { wireguard_ip: '10.44.0.22' }),
      await addNode(store, { wireguard_ip: '10.44.0.23', status: 'failed' }),
    ]
    await addNode(store, { wireguard_ip: null })
    for (const consumer of [granted, failed]) await addGrant(store, consumer, gateway)
    await addGrant(store, other, granted)
    const barred = () => fleet.nodes.nodes.barredAddresses()
    assert.deepEqual(await barred(), ['10.44.0.22', '10.44.0.23'])
    const input = { serving: gateway.id, consumer: granted.id }
    await fleet.nodes.handlers['node:access:remove']({ call: fakeCall(), input })
    assert.deepEqual(await barred(), ['10.44.0.21', '10.44.0.22', '10.44.0.23'])
    await addGrant(store, granted, gateway)
    await store.db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', gateway.id).execute()
    assert.deepEqual(
      new Set(await barred()),
      new Set(['10.44.0.21', '10.44.0.22', '10.44.0.23', gateway.wireguard_ip]),
    )
  },
)
