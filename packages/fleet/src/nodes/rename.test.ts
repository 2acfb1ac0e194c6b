import assert from 'node:assert/strict'
import { makeRename } from '#/nodes/rename.ts'
import {
  addInstance,
  addNode,
  addProject,
  addRoute,
  fakeCall,
  forEachDialect,
  startNodesFleet,
  type NodesFleet,
} from '@fleet/testing'

const rename = (fleet: NodesFleet, node: number, name: string) =>
  fleet.nodes.handlers['node:rename']({ call: fakeCall({ operation: 'node:rename' }), input: { node, name } })

const holdName = (fleet: NodesFleet, name: string) =>
  fleet.store.locks.acquire({
    name: `node-name:${name}`,
    operation: 'node:add',
    requestId: '00000000-0000-4000-8000-000000000001',
    waitMilliseconds: 0,
    leaseSeconds: 60,
  })

forEachDialect(
  'a rename changes the name alone; the same again writes nothing [NODE-029, NODE-098]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store)
    const { data } = await rename(fleet, node.id, 'web-2')
    assert.equal(data.name, 'web-2')
    const { activeRoles: _, ...stored } = (await fleet.nodes.nodes.find(node.id)) ?? assert.fail()
    assert.deepEqual(stored, { ...node, name: 'web-2' })
    // With its name held nothing but reading would succeed.
    await using _held = await holdName(fleet, 'web-2')
    assert.deepEqual((await rename(fleet, node.id, 'web-2')).data, data)
  },
)

forEachDialect(
  'a rename publishes the private names once, and holds when they cannot be [NODE-098]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store)
    await rename(fleet, node.id, 'web-2')
    await rename(fleet, node.id, 'web-2')
    assert.deepEqual(fleet.nodeServices.calls, ['dns.publish'])
    fleet.nodeServices.breakAt('dns.publish')
    assert.equal((await rename(fleet, node.id, 'web-3')).data.name, 'web-3')
  },
)

forEachDialect('a name that another Node has is refused [NODE-001]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const [node, other] = [await addNode(fleet.store), await addNode(fleet.store)]
  await assert.rejects(rename(fleet, node.id, other.name), { code: 'node.name_taken', status: 409 })
  assert.equal((await fleet.nodes.nodes.find(node.id))?.name, node.name)
})

forEachDialect(
  'a name that leads to something else is refused: to another Node, in whatever case, or to a Route below the private suffix',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { store } = fleet
    const [node, other] = [await addNode(store, { name: 'web-1' }), await addNode(store, { name: 'Db-1' })]
    await assert.rejects(rename(fleet, node.id, 'dB-1'), {
      code: 'node.name_taken',
      message: 'The Node Db-1 has this name: DNS knows no case.',
      details: { node: { id: other.id, name: 'Db-1' } },
    })
    const { id: project_id } = await addProject(store)
    const instance = await addInstance(store, { project_id, node_id: other.id })
    await addRoute(store, instance, { domain: 'shop.fleet' })
    assert.equal((await rename(fleet, node.id, 'shop')).data.name, 'shop')
    await fleet.domains.network.configure({
      range: '10.44.0.0/16',
      hubPort: 51_820,
      endpoint: null,
      suffix: 'fleet',
    })
    for (const name of ['web-1', 'WEB-1']) assert.equal((await rename(fleet, node.id, name)).data.name, name)
    for (const name of ['shop', 'SHOP']) {
      await assert.rejects(rename(fleet, node.id, name), {
        code: 'node.name_taken',
        message: 'A Route has the domain shop.fleet, which would lead to the Node instead.',
        details: { domain: 'shop.fleet' },
      })
    }
    assert.equal((await fleet.nodes.nodes.find(node.id))?.name, 'WEB-1')
    assert.equal((await rename(fleet, other.id, 'shop')).data.name, 'shop', 'it serves that Route itself')
  },
)

forEachDialect(
  'the current and the new name must both be free of other operations [NODE-098]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store, { name: 'old' })
    for (const name of ['old', 'new']) {
      await using _held = await holdName(fleet, name)
      await assert.rejects(rename(fleet, node.id, 'new'), ({ code, details }) => {
        assert.equal(code, 'node.provisioning_busy')
        assert.equal(details.holder.operation, 'node:add')
        return true
      })
    }
    assert.equal((await rename(fleet, node.id, 'new')).data.name, 'new')
  },
)

forEachDialect(
  'the event of a rename has what another operation changed meanwhile [EV-006]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store, { name: 'old' })
    const change = fleet.store.db.updateTable('nodes').set({ tld: 'lan' }).where('id', '=', node.id)
    const call = fakeCall({ operation: 'node:rename' })
    // The record was read under the lock of its current name; the other operation has a lock of its own.
    const locks: typeof fleet.store.locks = {
      holderOf: (name) => fleet.store.locks.holderOf(name),
      acquire: async (request) => {
        if (request.name.endsWith('new')) await change.execute()
        return fleet.store.locks.acquire(request)
      },
    }
    const handler = makeRename(
      { ...fleet.store, locks },
      { publish: async () => undefined, routeUnder: async () => undefined },
    )
    const { data } = await handler({ call, input: { node: node.id, name: 'new' } })
    assert.deepEqual(
      call.published.map((event) => event.type),
      ['node.updated'],
    )
    assert.deepEqual(call.published[0]?.data, data)
    assert.deepEqual([data.name, data.tld], ['new', 'lan'])
  },
)

forEachDialect('an unknown Node is not renamed [NODE-029]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  await assert.rejects(rename(fleet, 7, 'new'), { code: 'node.not_found' })
})
