import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import { endGraces, fakeCall } from '@fleet/testing'
import type { NodeRecord } from '#/nodes/api.ts'
import { routesWhere } from '#/routes/queries.ts'
import { placementsWhere } from '#/routes/routers/queries.ts'
import { ANSWER_GRACE_MILLISECONDS as GRACE_MILLISECONDS } from '#/clusters/api.ts'
import { clustersOf, office } from '#/routes/routers/office.test.ts'
import { addApp, createInstance, startWorld, type World } from '#/routes/world.test.ts'

const scopeOf = async (world: World, id: number) => {
  const [route] = await routesWhere(world.store.db, { id })
  return (
    route && { node: route.node_id, cluster: route.cluster_id, domain: route.domain, status: route.status }
  )
}

const sitesOf = (world: World, { id }: Pick<NodeRecord, 'id'>) => [
  ...(world.machines.get(id)?.sites.keys() ?? []),
]

async function withdraw(world: World, call = fakeCall()): Promise<void> {
  const [due] = await world.store.db.selectFrom('work').select(['kind', 'payload']).execute()
  assert.equal(due?.kind, 'route:withdraw-placements')
  const [kind] = world.routes.workKinds
  assert.ok(kind)
  await kind.run(call, kind.payload.parse(JSON.parse(due.payload)))
}

async function afterGrace(world: World, call = fakeCall()): Promise<void> {
  await endGraces(world.store)
  await withdraw(world, call)
}

test('an active Cluster takes the Routes of its Nodes with their ids: its Router serves them before a name leads there [CLU-012, CLU-013, CLU-016, CLU-025, RTX-041, RTX-097]', async () => {
  await using world = await startWorld()
  const { id, edge, route } = await office(world)
  const call = fakeCall()
  world.done.splice(0)
  await clustersOf(world).update({ cluster: id, state: 'active' }, call)
  assert.deepEqual(world.done, [
    `edge: leaf route-${route}-router`,
    'sites mail.internal shop.test',
    'edge: sites shop.test',
    'names as active',
    'names',
  ])
  const moved = { node: null, cluster: id, domain: 'shop.test', status: 'active' }
  assert.deepEqual(await scopeOf(world, route), moved)
  assert.deepEqual(
    (await routesWhere(world.store.db)).map(({ kind, cluster_id }) => [kind, cluster_id]),
    [
      ['app', id],
      ['custom_proxy', null],
    ],
  )
  // At once: the membership may be one step of a request that fails later.
  assert.deepEqual(
    call.published.map(({ type }) => type),
    ['route.updated'],
  )
  await afterGrace(world)
  assert.deepEqual(sitesOf(world, edge), ['shop.test'], 'what is its own stays')
})

test('what a Cluster gives back is served for its grace from the end of the change on, when names are published as they are stored, and nothing goes while that works [RTX-043]', async () => {
  await using world = await startWorld()
  const { id } = await office(world)
  await clustersOf(world).update({ cluster: id, state: 'active' })
  await world.store.db.deleteFrom('work').execute()
  const { clock } = world.deps
  const began = systemClock.now().getTime()
  const at = (milliseconds: number) => Object.assign(clock, { now: () => new Date(began + milliseconds) })
  const dues: number[] = []
  const due = async (): Promise<void> => {
    const [row] = await world.store.db.selectFrom('work').select('due_at').execute()
    dues.push(Date.parse(row?.due_at ?? '') - began)
  }
  at(0)
  const { update } = clustersOf(world, async () => {
    await due()
    at(20_000)
  })
  await update({ cluster: id, state: 'inactive' })
  await due()
  assert.deepEqual(dues, [300_000, 20_000 + GRACE_MILLISECONDS])
})

test('what a change that failed has left stays for five minutes after it was undone [RTX-043, RTX-045]', async () => {
  await using world = await startWorld()
  const { id } = await office(world)
  const { clock } = world.deps
  const began = systemClock.now().getTime()
  Object.assign(clock, { now: () => new Date(began) })
  const { transaction } = world.store
  const broken: typeof transaction = async () => {
    Object.assign(clock, { now: () => new Date(began + 400_000) })
    throw new Error('the disk is full')
  }
  Object.assign(world.store, { transaction: broken })
  await assert.rejects(clustersOf(world).update({ cluster: id, state: 'active' }))
  Object.assign(world.store, { transaction })
  const [row] = await world.store.db.selectFrom('work').select('due_at').execute()
  assert.equal(Date.parse(row?.due_at ?? '') - began, 700_000)
})

test('a change within the grace of an earlier one has a grace of its own, also where the withdrawal of that one waits for it [RTX-043]', async () => {
  await using world = await startWorld()
  const { id, edge } = await office(world)
  const { update } = clustersOf(world)
  await update({ cluster: id, state: 'active' })
  const { clock } = world.deps
  const began = systemClock.now().getTime()
  Object.assign(clock, { now: () => new Date(began + GRACE_MILLISECONDS - 1000) })
  await update({ cluster: id, state: 'inactive' })
  Object.assign(clock, { now: () => new Date(began + GRACE_MILLISECONDS + 1000) })
  const [work] = await world.store.db.selectFrom('work').select('due_at').execute()
  assert.ok(Date.parse(work?.due_at ?? '') >= began + 2 * GRACE_MILLISECONDS - 1000)
  // As if it had been claimed before the change, and had waited for the lock of the Cluster.
  await withdraw(world)
  assert.deepEqual(sitesOf(world, edge), ['shop.test'])
  Object.assign(clock, { now: () => new Date(began + 2 * GRACE_MILLISECONDS) })
  await withdraw(world)
  assert.deepEqual(sitesOf(world, edge), [])
})

test('an inactive Cluster gives the Routes back: their names lead to the Nodes at once, and the Router serves until the grace is over [CLU-025, RTX-043, RTX-095]', async () => {
  await using world = await startWorld()
  const { id, edge, route } = await office(world)
  const { update } = clustersOf(world)
  await update({ cluster: id, state: 'active' })
  await update({ cluster: id, state: 'inactive' })
  assert.deepEqual(await scopeOf(world, route), {
    node: world.node.id,
    cluster: null,
    domain: 'shop.test',
    status: 'active',
  })
  assert.deepEqual(sitesOf(world, edge), ['shop.test'])
  world.done.splice(0)
  await afterGrace(world)
  assert.deepEqual(world.done, [
    'names shop.test mail.internal',
    'edge: sites none',
    `edge: no leaf route-${route}-router`,
    'sites mail.internal shop.test',
  ])
  assert.deepEqual(await placementsWhere(world.store.db, {}), [])
})

test('Routes follow a Node into an active Cluster and out of it [CLU-017, CLU-018, CLU-019, CLU-021]', async () => {
  await using world = await startWorld()
  const { id, route } = await office(world)
  const { update, handlers } = clustersOf(world)
  const input = { cluster: id, node: world.node.id }
  world.done.splice(0)
  await handlers['cluster:node:detach']({ call: fakeCall(), input })
  await handlers['cluster:node:attach']({ call: fakeCall(), input })
  await handlers['cluster:node:detach']({ call: fakeCall(), input })
  await update({ cluster: id, name: 'elsewhere' })
  assert.deepEqual(world.done, [], 'an inactive Cluster and a name move nothing')
  await update({ cluster: id, state: 'active' })
  assert.equal((await scopeOf(world, route))?.cluster, null)
  await handlers['cluster:node:attach']({ call: fakeCall(), input })
  assert.equal((await scopeOf(world, route))?.cluster, id)
  await handlers['cluster:node:detach']({ call: fakeCall(), input })
  assert.deepEqual(await scopeOf(world, route), {
    node: world.node.id,
    cluster: null,
    domain: 'shop.test',
    status: 'active',
  })
})

test('a Route that is created while its Node moves refuses the change, and everything is as it was before it [CLU-016, RTX-045]', async () => {
  await using world = await startWorld()
  const { id, route } = await office(world)
  const { forClusters } = world.routes
  const { publish } = forClusters
  const before = await scopeOf(world, route)
  let meanwhile: number | undefined
  Object.assign(forClusters, {
    publish: async (...given: Parameters<typeof publish>) => {
      await publish(...given)
      if (meanwhile !== undefined) return
      const project = await addApp(world, { slug: 'blog' })
      meanwhile = (await createInstance(world, { project_id: project.id, branch: 'main' })).data.route?.id
    },
  })
  world.done.length = 0
  await assert.rejects(clustersOf(world).update({ cluster: id, state: 'active' }), {
    code: 'route.reconciliation_required',
  })
  assert.deepEqual(
    world.done.filter((what) => what.startsWith('names as')),
    ['names as active', 'names as inactive'],
  )
  assert.deepEqual(
    [await scopeOf(world, route), (await scopeOf(world, meanwhile ?? 0))?.cluster],
    [before, null],
  )
})

test('one Route that cannot follow refuses the change, and none has moved [CLU-015, CLU-044, RTX-040]', async () => {
  await using world = await startWorld()
  const { id, edge, route } = await office(world)
  world.done.splice(0)
  const { update } = clustersOf(world)
  const refused = {
    code: 'route.reconciliation_required',
    details: { route: { id: route, domain: 'shop.test' } },
  }
  await world.store.db.updateTable('routes').set({ status: 'activating' }).where('id', '=', route).execute()
  await assert.rejects(update({ cluster: id, state: 'active' }), refused)
  const values = { status: 'active', publication: 'public' } as const
  await world.store.db.updateTable('routes').set(values).where('id', '=', route).execute()
  await assert.rejects(update({ cluster: id, state: 'active' }), refused)
  assert.deepEqual([world.done, sitesOf(world, edge)], [[], []])
})

test('a Cluster that owns a Route keeps its Router, and a generated domain its top-level domain [CLU-024, CLU-034, RTE-172]', async () => {
  await using world = await startWorld()
  const { id } = await office(world)
  const { update, handlers } = clustersOf(world)
  await update({ cluster: id, state: 'active' })
  await assert.rejects(handlers['cluster:router:clear']({ call: fakeCall(), input: { cluster: id } }), {
    code: 'cluster.routes_require_router',
  })
  await world.store.db.updateTable('clusters').set({ tld: 'lan' }).where('id', '=', id).execute()
  await world.store.db.updateTable('nodes').set({ tld: null }).where('id', '=', world.node.id).execute()
  await assert.rejects(update({ cluster: id, tld: null }), { code: 'route.tld_required' })
})

test('a Router that fails leaves every Route where it was, with no certificate of the attempt, and the identical request finishes [CLU-016, RTX-045]', async () => {
  await using world = await startWorld()
  const { id, edge, route } = await office(world)
  const { update } = clustersOf(world)
  world.broken.set('site', 'router.caddy_config_failed')
  await assert.rejects(update({ cluster: id, state: 'active' }), { code: 'router.caddy_config_failed' })
  assert.equal((await scopeOf(world, route))?.node, world.node.id)
  world.broken.clear()
  await afterGrace(world)
  assert.deepEqual(await placementsWhere(world.store.db, {}), [], 'what was prepared for nothing is gone')
  assert.deepEqual([...(world.machines.get(edge.id)?.leaves ?? [])], [])
  await update({ cluster: id, state: 'active' })
  assert.equal((await scopeOf(world, route))?.cluster, id)
})

test('after a change that failed with its names published, those of the records are published before the Router lets go, and after the grace; until they can be, both serve [RTX-045]', async () => {
  await using world = await startWorld()
  const { id, edge, route } = await office(world)
  const { store } = world
  const transaction = store.transaction
  Object.assign(store, { transaction: () => Promise.reject(new Error('the disk is full')) })
  await assert.rejects(clustersOf(world).update({ cluster: id, state: 'active' }))
  Object.assign(store, { transaction })
  assert.equal((await scopeOf(world, route))?.node, world.node.id)
  // As if names could not be published again either: they lead to the Router.
  world.names.add('as.active')
  world.broken.set('name', 'node.unreachable')
  await assert.rejects(afterGrace(world), { code: 'node.unreachable' })
  assert.deepEqual(
    [sitesOf(world, edge), sitesOf(world, world.node)],
    [['shop.test'], ['mail.internal', 'shop.test']],
  )
  world.broken.clear()
  world.done.length = 0
  await afterGrace(world)
  assert.deepEqual(world.done, ['names shop.test mail.internal'])
  await afterGrace(world)
  assert.deepEqual(world.done.slice(1), [
    'names shop.test mail.internal',
    'edge: sites none',
    `edge: no leaf route-${route}-router`,
    'sites mail.internal shop.test',
  ])
  assert.deepEqual(sitesOf(world, world.node), ['mail.internal', 'shop.test'])
})

test('a gateway that ends within the grace withdraws nothing, and the next one waits for the rest of it [RTX-045]', async () => {
  await using world = await startWorld()
  const { id, edge } = await office(world)
  world.broken.set('site', 'router.caddy_config_failed')
  await assert.rejects(clustersOf(world).update({ cluster: id, state: 'active' }))
  world.broken.clear()
  world.names.add('as.active')
  const before = [sitesOf(world, edge), [...(world.machines.get(edge.id)?.leaves ?? [])]]
  const { clock } = world.deps
  const began = systemClock.now().getTime()
  const at = (milliseconds: number) => Object.assign(clock, { now: () => new Date(began + milliseconds) })
  at(0)
  await afterGrace(world)
  at(GRACE_MILLISECONDS - 1)
  // As the next gateway takes over what the first one left.
  await withdraw(world)
  assert.deepEqual([sitesOf(world, edge), [...(world.machines.get(edge.id)?.leaves ?? [])]], before)
  assert.notDeepEqual(await placementsWhere(world.store.db, {}), [])
  at(GRACE_MILLISECONDS)
  await withdraw(world)
  assert.deepEqual(await placementsWhere(world.store.db, {}), [])
})

test('names that may have been published by an attempt that failed begin the grace anew [RTX-045]', async () => {
  await using world = await startWorld()
  const { id, edge } = await office(world)
  world.broken.set('site', 'router.caddy_config_failed')
  await assert.rejects(clustersOf(world).update({ cluster: id, state: 'active' }))
  world.broken.clear()
  world.names.add('as.active')
  const { names } = world.deps
  const { confirm } = names
  Object.assign(names, {
    confirm: async (call: Parameters<typeof confirm>[0]) => {
      await confirm(call)
      throw fail('node.unreachable')
    },
  })
  await assert.rejects(afterGrace(world), { code: 'node.unreachable' })
  Object.assign(names, { confirm })
  await withdraw(world)
  assert.notDeepEqual(await placementsWhere(world.store.db, {}), [])
  await afterGrace(world)
  assert.deepEqual(sitesOf(world, edge), [])
})
