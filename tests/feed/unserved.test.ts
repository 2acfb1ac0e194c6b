import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { type Clock, systemClock } from '@fleet/kernel'
import { addRole } from '@fleet/testing'
import { startTestGateway } from '../api/harness.ts'

test('without an active websocket role nothing is published, and nobody is connected to [EV-013]', async () => {
  let later = 0
  const clock: Clock = { ...systemClock, ticks: () => systemClock.ticks() + later }
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await using stack = new AsyncDisposableStack()
  stack.defer(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on an address and a port.
  await using fleet = await startTestGateway({ clock })
  const { gateway } = fleet.nodes
  const rename = async (name: string): Promise<void> => {
    const path = `/api/v1/nodes/${gateway}/name`
    assert.equal((await fleet.ask('PATCH', path, { body: { name } })).status, 200)
    // Past what the gateway remembers of servers and of their failures.
    later += 60_000
  }
  await addRole(fleet.store, { node_id: gateway, role: 'websocket' })
  await fleet.gateway.placeRealtime(gateway, { host: 'localhost', port })
  await rename('served')
  assert.ok(connections > 0)
  const roles = fleet.store.db.updateTable('node_roles').where('role', '=', 'websocket')
  await roles.set({ status: 'provisioning' }).execute()
  // Whoever had looked before has tried by the end of it.
  await rename('unserved')
  const before = connections
  await rename('silent')
  await fleet.store.db.deleteFrom('node_roles').where('role', '=', 'websocket').execute()
  await rename('gateway')
  assert.equal(connections, before)
})
