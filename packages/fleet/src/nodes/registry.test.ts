import type { NodeEntry } from '#/nodes/record.ts'
import assert from 'node:assert/strict'
import { FINGERPRINT, fakeCall, forEachDialect, startNodesFleet } from '@fleet/testing'

const entry = (given: Partial<NodeEntry> = {}): NodeEntry => ({
  name: 'node-1',
  status: 'active',
  user: 'fleet',
  user_home: '/home/fleet',
  wireguard_ip: '127.44.0.11',
  ssh_port: 2201,
  ssh_host_fingerprint: FINGERPRINT,
  roles: ['app-dev'],
  access: { to: [], by: [] },
  ...given,
})

forEachDialect('a Node enters with its roles and grants', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const { registry, nodes } = fleet.nodes
  const gateway = await registry.put(
    entry({ name: 'gateway', wireguard_ip: '127.0.0.1', roles: ['gateway'] }),
  )
  const node = await registry.put(
    entry({ roles: ['app-dev', 'ingress'], access: { to: [], by: ['gateway'] } }),
  )
  assert.deepEqual(node.activeRoles, ['app-dev', 'ingress'])
  assert.equal(await nodes.mayActOn(gateway.id, node.id), true)
  assert.equal(await nodes.mayActOn(node.id, gateway.id), false)
  assert.deepEqual(await nodes.find(node.id), node)
})

forEachDialect(
  'a Node that enters again takes new connection facts and keeps what operators chose',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { registry, nodes, handlers } = fleet.nodes
    await registry.put(entry({ name: 'gateway', wireguard_ip: '127.0.0.1', roles: ['gateway'] }))
    const access = { to: [], by: ['gateway'] }
    const node = await registry.put(entry({ access }))
    const gateway = (await nodes.gateway()) ?? assert.fail()
    await handlers['node:access:remove']({
      call: fakeCall(),
      input: { serving: node.id, consumer: gateway.id },
    })
    await handlers['node:rename']({ call: fakeCall(), input: { node: node.id, name: 'renamed' } })
    await fleet.store.db.updateTable('nodes').set({ apps_path: '/data' }).where('id', '=', node.id).execute()
    const again = await registry.put(entry({ access, ssh_port: 2202, roles: ['app-dev', 'metrics'] }))
    const kept = {
      ...node,
      name: 'renamed',
      apps_path: '/data',
      ssh_port: 2202,
      activeRoles: ['app-dev', 'metrics'],
    }
    assert.deepEqual(again, kept)
    assert.equal(await nodes.mayActOn(gateway.id, node.id), false)
    assert.equal((await nodes.list()).length, 2)
  },
)

forEachDialect('a grant to a Node that is not stored enters nothing', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  await assert.rejects(fleet.nodes.registry.put(entry({ access: { to: ['nobody'], by: [] } })), /nobody/)
  assert.deepEqual(await fleet.nodes.nodes.list(), [])
})
