import assert from 'node:assert/strict'
import { addGrant, addNode, asCaller, fakeCall, forEachDialect, startNodesFleet } from '@fleet/testing'

forEachDialect(
  'a name is answered to who may act on the Node or give grants on it, and to nobody else',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const gateway = await addNode(fleet.store, { name: 'hub', roles: ['gateway'] })
    const [node, manager, user, stranger] = [
      await addNode(fleet.store, { name: 'web-1' }),
      await addNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    await addGrant(fleet.store, manager, gateway)
    await addGrant(fleet.store, user, node)
    const resolve = (from: typeof node, name = 'web-1') =>
      fleet.nodes.handlers['node:resolve']({ call: fakeCall({ caller: asCaller(from) }), input: { name } })
    for (const from of [node, manager, user])
      assert.deepEqual((await resolve(from)).data, { id: node.id, name: 'web-1' })
    for (const refused of [() => resolve(stranger), () => resolve(manager, 'web-2')])
      await assert.rejects(refused, {
        code: 'node.not_found',
        message: 'No Node that the caller can address has this name.',
      })
  },
)

forEachDialect(
  'whom a Node of the caller obeys is found by name, so that the grant can be taken back [GRANT-007, GRANT-015]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { store } = fleet
    const [own, granted, guest, stranger] = [
      await addNode(store),
      await addNode(store),
      await addNode(store, { name: 'laptop' }),
      await addNode(store),
    ]
    const resolve = (from: typeof own) =>
      fleet.nodes.handlers['node:resolve']({
        call: fakeCall({ caller: asCaller(from) }),
        input: { name: 'laptop' },
      })
    const unknown = { code: 'node.not_found' }
    await addGrant(store, own, granted)
    await assert.rejects(resolve(own), unknown)
    await addGrant(store, guest, granted)
    for (const from of [own, granted])
      assert.deepEqual((await resolve(from)).data, { id: guest.id, name: 'laptop' })
    await assert.rejects(resolve(stranger), unknown)
  },
)
