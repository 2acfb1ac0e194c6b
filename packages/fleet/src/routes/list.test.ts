import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCluster, addGrant, addNode, fakeCall } from '@fleet/testing'
import { insertRoute } from '#/routes/queries.ts'
import { create, startWorld } from '#/routes/world.test.ts'

test('a list holds the Routes whose Node, or every member of whose Cluster, the caller may address, by id [GW-009, RTX-001]', async () => {
  await using world = await startWorld()
  const { data: first } = await create(world)
  const [member, other] = [await addNode(world.store), await addNode(world.store)]
  const cluster = await addCluster(world.store, {}, [member, other])
  const shared = await insertRoute(world.store.db, {
    kind: 'app',
    cluster_id: cluster.id,
    domain: 'shop.example',
    provenance: 'explicit',
    publication: 'public',
    status: 'active',
    created_at: '2026-03-01T00:00:00.000Z',
  })
  const { data: last } = await create(world, { domain: 'other.internal' })
  const tracked = await insertRoute(world.store.db, {
    kind: 'analytics_tracking',
    node_id: world.node.id,
    domain: 'stats.internal',
    provenance: 'explicit',
    publication: 'private',
    status: 'active',
    created_at: '2026-03-01T00:00:00.000Z',
  })
  const seenBy = async (id: number): Promise<readonly number[]> => {
    const caller = { id, name: 'a caller', address: '10.44.0.9', isGateway: false }
    const { data } = await world.routes.handlers['route:list']({ call: fakeCall({ caller }), input: {} })
    return data.map((route) => route.id)
  }
  const caller = await addNode(world.store)
  assert.deepEqual(await seenBy(caller.id), [])
  await addGrant(world.store, caller, world.node)
  assert.deepEqual(await seenBy(caller.id), [first.id, last.id, tracked?.id])
  await addGrant(world.store, caller, member)
  assert.deepEqual(await seenBy(caller.id), [first.id, last.id, tracked?.id])
  await addGrant(world.store, caller, other)
  assert.deepEqual(await seenBy(caller.id), [first.id, shared?.id, last.id, tracked?.id])
})

test('a Route of a Cluster without members is shown to who may act on the gateway Node, and to nobody else [GW-009, CLU-011]', async () => {
  await using world = await startWorld()
  const { store, deps, routes } = world
  const cluster = await addCluster(store)
  const route = await insertRoute(store.db, {
    kind: 'app',
    cluster_id: cluster.id,
    domain: 'shop.example',
    provenance: 'explicit',
    publication: 'private',
    status: 'pending',
    created_at: '2026-03-01T00:00:00.000Z',
  })
  const seenBy = async ({ id }: { readonly id: number }): Promise<readonly number[]> => {
    const caller = { id, name: 'a caller', address: '10.44.0.9', isGateway: false }
    const { data } = await routes.handlers['route:list']({ call: fakeCall({ caller }), input: {} })
    return data.map((listed) => listed.id)
  }
  const [stranger, holder] = [await addNode(store), await addNode(store)]
  const gateway = await deps.nodes.gateway()
  await addGrant(store, holder, gateway ?? assert.fail())
  assert.deepEqual(await seenBy(stranger), [])
  assert.deepEqual(await seenBy(holder), [route?.id])
})
