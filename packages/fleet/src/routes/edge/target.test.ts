import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoutePublication } from '@fleet/contract'
import { addInstance, fakeCall } from '@fleet/testing'
import { findRoute, updateRoute } from '#/routes/queries.ts'
import { city, type City, isOpen, sitesOf } from '#/routes/edge/world.test.ts'
import { createFor, setTarget, startWorld, update } from '#/routes/world.test.ts'

const publish = ({ world, id }: City, publication: RoutePublication = 'public') =>
  update(world, id, { publication })

/** Another Instance of production of the Project, without a Route. */
const another = async ({ world, id }: City, given: Partial<Parameters<typeof addInstance>[1]> = {}) =>
  addInstance(world.store, {
    project_id: (await findRoute(world.store.db, id))?.project_id ?? 0,
    node_id: world.node.id,
    name: 'second',
    status: 'active',
    environment: 'production',
    checkout_path: '/home/fleet/apps/shop/second',
    ...given,
  })

test('a public Route that is led to another Instance is public before it is active [RTE-045, RTX-052]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  const { id: next } = await another(given)
  const { db } = world.store
  await db
    .updateTable('instances')
    .set({ status: 'source_resolved' })
    .where('id', '=', given.instanceId)
    .execute()
  await updateRoute(db, given.id, { status: 'failed', failed_step: 'caddy', error_code: 'http.500' })
  world.broken.set('path', 'route.private_path_failed')
  await assert.rejects(setTarget(world, given.id, next), { code: 'route.private_path_failed' })
  const stopped = await findRoute(db, given.id)
  assert.deepEqual(
    [stopped?.status, stopped?.failed_step, stopped?.error_code, isOpen(given)],
    ['activating', 'private-paths', 'route.private_path_failed', false],
  )
  world.broken.clear()
  const { data } = await setTarget(world, given.id, next)
  assert.deepEqual(
    [data.status, data.publication, data.replacement_step, isOpen(given)],
    ['active', 'public', 'ingress-firewall', true],
  )
  assert.deepEqual(sitesOf(given, given.ingress), [['shop.example at 0.0.0.0 10.44.0.9', 'pool 10.44.0.8']])
})

test('a public Route whose creation stopped is opened by its target, which is set again [RTX-052]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  const { id: instance } = await another(given)
  world.broken.set('name', 'node.unreachable')
  await assert.rejects(createFor(world, instance, { publication: 'public' }), {
    code: 'node.unreachable',
  })
  world.broken.clear()
  const stored = await world.store.db
    .selectFrom('routes')
    .select('id')
    .where('domain', '=', 'admin.example')
    .executeTakeFirstOrThrow()
  const call = fakeCall()
  const { data } = await setTarget(world, stored.id, instance, call)
  assert.deepEqual([data.status, data.replacement_step, isOpen(given)], ['active', 'ingress-firewall', true])
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['route.updated'],
  )
})
