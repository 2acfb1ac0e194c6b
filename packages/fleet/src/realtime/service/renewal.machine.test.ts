import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { type LeafSource, makeRenewal, type Renewal } from '#/certificates/api.ts'
import { roleLockName } from '#/nodes/api.ts'
import { CERTIFICATE, startWorld, type World } from '#/realtime/service/world.test.ts'

const DAY = 86_400_000

const renewing = (world: World, sources: readonly LeafSource[]) => {
  const { store, nodes } = world.fleet
  const machines = { overTunnel: () => world.session, overPublicSsh: () => world.session }
  const { certificates } = world
  const renew = makeRenewal({ store, nodes: { ...nodes.nodes, machines }, certificates, sources })
  return (): Promise<readonly Renewal[]> => renew((run) => run(fakeCall()))
}

test('the certificate of the server is renewed when a sixth of its time is left, and the server is told [RTX-100]', async (context) => {
  const world = await startWorld(context)
  await world.converge()
  const renew = renewing(world, [world.service.leaves])
  const first = world.read(CERTIFICATE)
  assert.deepEqual(await renew(), [])
  world.clock.advance(74 * DAY)
  assert.deepEqual(await renew(), [])
  assert.deepEqual([world.read(CERTIFICATE), world.systemd.reloads()], [first, []])
  world.clock.advance(DAY)
  assert.deepEqual(await renew(), [{ node: world.session.node.name, scope: 'websocket', outcome: 'renewed' }])
  assert.notEqual(world.read(CERTIFICATE), first)
  assert.deepEqual(world.systemd.reloads(), ['fleet-websocket.service'])
  assert.deepEqual(await renew(), [])
})

test('a Node that fails keeps no other from its certificate and is tried again', async (context) => {
  const world = await startWorld(context)
  await world.converge()
  const [own] = await world.service.leaves.leaves()
  assert.ok(own)
  const foreign = { ...own, lock: 'another', leaf: { ...own.leaf, scope: 'other', owner: 'surely-nobody' } }
  const sources = [{ leaves: async () => [foreign] }, world.service.leaves]
  const renew = renewing(world, sources)
  world.clock.advance(76 * DAY)
  const { name } = world.session.node
  const failed = { node: name, scope: 'other', outcome: 'certificate.owner_missing' }
  assert.deepEqual(await renew(), [failed, { node: name, scope: 'websocket', outcome: 'renewed' }])
  assert.deepEqual(await renew(), [failed])
})

test('a Node whose roles somebody changes is left alone, and so is one that has lost the role', async (context) => {
  const world = await startWorld(context)
  await world.converge()
  world.clock.advance(76 * DAY)
  const { store } = world.fleet
  const renew = renewing(world, [world.service.leaves])
  {
    await using _held = await store.locks.acquire({
      name: roleLockName(world.nodeId),
      operation: 'node:role:remove',
      requestId: 'request-1',
      waitMilliseconds: 0,
      leaseSeconds: 600,
    })
    assert.deepEqual(await renew(), [])
  }
  const commands = world.pool.commands.length
  let asked = 0
  // The role goes between the look at the records and the lock.
  const leaving = { leaves: async () => ((asked += 1) === 1 ? world.service.leaves.leaves() : []) }
  assert.deepEqual(await renewing(world, [leaving])(), [])
  assert.equal(world.pool.commands.length, commands)
})
