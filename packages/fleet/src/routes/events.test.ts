import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '@fleet/contract'
import { addGrant, addInstance, addNode, type FakeCall, fakeCall } from '@fleet/testing'
import * as z from 'zod'
import {
  addApp,
  create,
  createInstance,
  destroy,
  setTarget,
  startWorld,
  unsetTarget,
  update,
  type World,
} from '#/routes/world.test.ts'

const record = z.looseObject({ id: z.int() })

/** The list of a client of the feed, which reads it once and then only hears what is published. */
async function follow(world: World) {
  const { db } = world.store
  for (const id of await db.selectFrom('nodes').select('id').execute())
    await addGrant(world.store, { id: 1 }, id)
  const read = async () =>
    (await world.routes.handlers['route:list']({ call: fakeCall(), input: {} })).data.map((route) =>
      record.parse(route),
    )
  const held = new Map((await read()).map((route) => [route.id, route]))
  /** What the work published, and that it is all that a list needs. */
  return async (work: (call: FakeCall) => Promise<unknown>) => {
    const call = fakeCall()
    await work(call)
    for (const { type, data } of call.events)
      if (type === 'route.deleted') held.delete(record.parse(data).id)
      else if (type.startsWith('route.')) held.set(record.parse(data).id, record.parse(data))
    assert.deepEqual(
      [...held.values()].toSorted((a, b) => a.id - b.id),
      await read(),
    )
    return call.events.map(({ type, data }) => {
      const { id, domain } = record.extend({ domain: z.string() }).parse(data)
      return `${type} ${id} ${domain}`
    })
  }
}

const abandon = ({ store: { db } }: World, id: number) =>
  db.updateTable('instances').set({ status: 'source_resolved' }).where('id', '=', id).execute()

test('a list that is kept by events alone is the list of Routes: one that gets another domain is removed from it [EV-002, EV-050, EV-051, EV-079]', async () => {
  await using world = await startWorld()
  const { id: project_id } = await addApp(world)
  const { data } = await createInstance(world, { project_id, domain: 'one.example' })
  const told = await follow(world)
  assert.deepEqual(await told((call) => update(world, 1, { domain: 'two.example' }, call)), [
    'route.deleted 1 one.example',
    'route.updated 2 two.example',
  ])
  assert.deepEqual(await told((call) => create(world, {}, call)), ['route.created 3 mail.internal'])
  await abandon(world, data.id)
  await world.store.db.updateTable('routes').set({ status: 'failed' }).where('id', '=', 2).execute()
  assert.deepEqual(await told((call) => unsetTarget(world, 2, call)), ['route.updated 2 two.example'])
  assert.deepEqual(await told((call) => update(world, 2, { domain: 'three.example' }, call)), [
    'route.deleted 2 two.example',
    'route.updated 4 three.example',
  ])
  assert.deepEqual(await told((call) => destroy(world, 4, false, call)), ['route.deleted 4 three.example'])
})

test('every generated Route that another name of the Project replaces is removed in a list kept by events [EV-002, EV-050, EV-051]', async () => {
  await using world = await startWorld()
  const { id: project_id } = await addApp(world)
  for (const name of ['default', 'feature']) await createInstance(world, { project_id, name })
  const told = await follow(world)
  const { forProjects } = world.routes
  await forProjects.prepare(fakeCall(), await forProjects.plan(project_id, 'next'))
  const replaced = await told(async (call) =>
    forProjects.replace(call, await forProjects.plan(project_id, 'next')),
  )
  assert.deepEqual(replaced, [
    'route.deleted 1 shop.test',
    'route.updated 3 next.test',
    'route.deleted 2 feature.shop.test',
    'route.updated 4 feature.next.test',
  ])
})

const FAILS: ErrorCode = 'app-dev.source_access_failed'

test('a Route that gets another domain with its Instance is removed in a list kept by events, also where the new one is not served [EV-002, EV-050, EV-051, EV-090]', async () => {
  await using world = await startWorld()
  const { id: project_id } = await addApp(world)
  const { data } = await createInstance(world, { project_id })
  await abandon(world, data.id)
  await world.store.db.updateTable('routes').set({ status: 'failed' }).execute()
  const { id: node_id } = await addNode(world.store, { wireguard_ip: '10.44.0.9', tld: 'berlin' })
  const next = await addInstance(world.store, {
    project_id,
    node_id,
    name: 'second',
    checkout_path: '/srv/second',
  })
  await unsetTarget(world, 1)
  const told = await follow(world)
  world.broken.set('access', FAILS)
  const moved = await told((call) => assert.rejects(setTarget(world, 1, next.id, call), { code: FAILS }))
  assert.deepEqual(moved, ['route.deleted 1 shop.test', 'route.updated 2 second.shop.berlin'])
  world.broken.clear()
  assert.deepEqual(await told((call) => setTarget(world, 2, next.id, call)), [
    'route.updated 2 second.shop.berlin',
  ])
})
