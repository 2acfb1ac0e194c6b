import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import {
  addProduction,
  clearResidues,
  openShop,
  routeAt,
  type Shop,
  viewOf,
} from '#/routes/pools/world.test.ts'
import { recordedSetOf } from '#/routes/pools/queries.ts'
import { findRoute, residuesOn, updateRoute } from '#/routes/queries.ts'
import { destroy, destroyInstance, setTargets, startWorld, unsetTarget, update } from '#/routes/world.test.ts'
import { admin } from '#/routes/web-root/world.test.ts'

/** `b.example` leads nowhere, and a set that was to give it the Instance `d` could not be prepared: its Node is dead. */
async function withLostSet() {
  const shop = await openShop()
  const { world, routes, nodes } = shop
  const [a, b] = shop.instances
  await setTargets(world, routes[0], [a, b])
  const dead = nodes[2]?.id ?? 0
  const { id: d } = await addProduction(shop, 'd', dead)
  const before = await viewOf(world)
  world.silent.add(dead)
  await assert.rejects(setTargets(world, routes[1], [d]))
  assert.ok(await recordedSetOf(world.store.db, routes[1]))
  return { shop, d, dead, before }
}

const isRecorded = async ({ world, routes }: Shop): Promise<boolean> =>
  (await recordedSetOf(world.store.db, routes[1])) !== undefined

test('a Route without targets gives a set up that could not be prepared when it is cleared, and may then get another one [RTE-112, RTE-123]', async () => {
  const { shop, before, d } = await withLostSet()
  await using world = shop.world
  await assert.rejects(update(world, shop.routes[1], { publication: 'public' }), {
    code: 'route.target_set_conflict',
  })
  const { data } = await unsetTarget(world, shop.routes[1])
  assert.deepEqual([data.status, data.failed_step, data.error_code], ['pending', null, null])
  assert.equal(await isRecorded(shop), false)
  world.silent.clear()
  assert.deepEqual(await viewOf(world), before)
  assert.equal((await setTargets(world, shop.routes[1], [d])).data.status, 'active')
})

test('a Route without targets is removed although a set of it could not be prepared, and takes the record along [RTE-112, RTE-123]', async () => {
  const { shop } = await withLostSet()
  await using world = shop.world
  await destroy(world, shop.routes[1])
  assert.equal(await findRoute(world.store.db, shop.routes[1]), undefined)
  assert.equal(await isRecorded(shop), false)
})

test('a Route with targets is neither cleared nor removed for a set that could not be prepared, and keeps the set [RTE-094, RTE-112]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  world.broken.set('path', 'route.private_path_failed')
  await assert.rejects(setTargets(world, shop.routes[0], [a, b]))
  for (const work of [unsetTarget, destroy])
    await assert.rejects(work(world, shop.routes[0]), { code: 'route.target_set_conflict' })
  assert.ok(await recordedSetOf(world.store.db, shop.routes[0]))
})

test('a set that was stored is not given up when its Route is cleared or removed [RTE-113, RTE-114]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  await setTargets(world, shop.routes[0], [a, b])
  world.broken.set('name', 'dns.busy')
  const request = { dispositions: [{ instance_id: b, route_id: shop.routes[1] }] }
  await assert.rejects(setTargets(world, shop.routes[0], [a], request), { code: 'dns.busy' })
  world.broken.clear()
  await world.store.db.deleteFrom('route_targets').where('route_id', '=', shop.routes[0]).execute()
  for (const work of [unsetTarget, destroy])
    await assert.rejects(work(world, shop.routes[0]), { code: 'route.target_set_conflict' })
})

for (const offline of [false, true])
  test(`the Instance that a set was to add takes the record of the set along when it is removed${offline ? ' without its Node' : ''} [RTE-112, RTX-049]`, async () => {
    const { shop, d } = await withLostSet()
    await using world = shop.world
    const { db } = world.store
    await updateRoute(db, shop.routes[1], {
      failed_step: 'workload-certificate',
      error_code: 'node.unreachable',
    })
    if (!offline) world.silent.clear()
    await destroyInstance(world, d, { force: true, offline })
    assert.equal(await isRecorded(shop), false)
    const { status, failed_step, error_code } = await routeAt(shop, 'b.example')
    assert.deepEqual([status, failed_step, error_code], ['pending', null, null])
    assert.equal((await update(world, shop.routes[1], { publication: 'public' })).data.publication, 'public')
  })

test('a set keeps its record while another Instance that it was to add is there [RTE-112]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  world.broken.set('path', 'route.private_path_failed')
  await assert.rejects(setTargets(world, shop.routes[0], [a, b, c]))
  world.broken.clear()
  await destroyInstance(world, b)
  assert.ok(await recordedSetOf(world.store.db, shop.routes[0]))
  await destroyInstance(world, c)
  assert.equal(await recordedSetOf(world.store.db, shop.routes[0]), undefined)
})

test('a Route that no Instance serves is removed past a dead Router: what the Router keeps is recorded once and goes when it converges [RTE-056, RTE-070, RTE-175, RTE-177]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const { router, instances, routes } = shop
  await setTargets(world, routes[0], [instances[0], instances[1]])
  world.silent.add(router.id)
  await assert.rejects(destroy(world, routes[1]), {
    code: 'route.node_unreachable',
    details: { node: { id: router.id, name: 'router' }, step: 'caddy', error_code: 'node.unreachable' },
  })
  const { data } = await destroy(world, routes[1], true)
  assert.equal(await findRoute(world.store.db, routes[1]), undefined)
  const kept = { node_id: router.id, node: 'router', steps: ['caddy', 'certificate'] }
  assert.deepEqual(data.retained_on_nodes, [kept])
  assert.deepEqual(
    (await residuesOn(world.store.db, router.id)).map(({ leaf_scope, domain }) => [leaf_scope, domain]),
    [[`route-${routes[1]}-router`, 'b.example']],
  )
  world.silent.clear()
  const machine = world.machines.get(router.id)
  assert.ok(machine?.leaves.has(`route-${routes[1]}-router`))
  await clearResidues(shop, router.id)
  assert.deepEqual(
    [machine?.leaves.has(`route-${routes[1]}-router`), machine?.sites.has('b.example')],
    [false, false],
  )
})

test('a set whose Instance is on a dead Node is given up without it: the pool serves on, the answer and an event say so, and the Node drops what it has when it is back [RTE-112, EV-050]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const { db } = world.store
  const [a, b] = shop.instances
  const dead = shop.nodes[1]?.id ?? 0
  const before = await viewOf(world)
  world.broken.set('path', 'route.private_path_failed')
  world.worksAfter = { what: 'path', times: 1, seen: () => world.silent.add(dead) }
  await assert.rejects(setTargets(world, shop.routes[0], [a, b]))
  assert.ok((await routeAt(shop, 'a.example')).failed_step !== null)
  await assert.rejects(update(world, shop.routes[1], { publication: 'public' }), {
    code: 'route.target_set_conflict',
    message: new RegExp(`fleet route:target:set ${shop.routes[0]} --targets ${a}\``),
    details: { existing_route_id: shop.routes[0] },
  })
  const call = fakeCall()
  const { data } = await setTargets(world, shop.routes[0], [a], {}, call)
  assert.deepEqual([data.status, data.failed_step, data.error_code], ['active', null, null])
  assert.deepEqual(call.events, [{ type: 'route.updated', data }])
  assert.equal(await recordedSetOf(db, shop.routes[0]), undefined)
  const kept = (await residuesOn(db, dead)).map(({ domain, leaf_scope }) => [domain, leaf_scope])
  assert.deepEqual(kept, [['a.example', `app-instance-${b}-hostname-change`]])
  await update(world, shop.routes[1], { publication: 'public' })
  world.silent.clear()
  await clearResidues(shop, dead)
  assert.deepEqual(await viewOf(world), before)
  // Its own Route is served as before.
  assert.deepEqual(world.machines.get(dead)?.opened.get('/home/b/releases/r1'), ['public'])
})

test('a Node that was given up keeps a certificate that the next set issued again [RTE-110, RTX-095]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const dead = shop.nodes[1]?.id ?? 0
  world.silent.add(dead)
  await assert.rejects(setTargets(world, shop.routes[0], [a, b]))
  await setTargets(world, shop.routes[0], [a])
  world.silent.clear()
  world.broken.set('name', 'dns.busy')
  await assert.rejects(setTargets(world, shop.routes[0], [a, b]), { code: 'dns.busy' })
  world.broken.clear()
  await clearResidues(shop, dead)
  assert.ok(world.machines.get(dead)?.leaves.has(`app-instance-${b}-hostname-change`))
  assert.deepEqual(await residuesOn(world.store.db, dead), [])
  assert.equal((await setTargets(world, shop.routes[0], [a, b])).data.targets.length, 2)
  assert.ok(!world.machines.get(dead)?.leaves.has(`app-instance-${b}-hostname-change`))
})

test('a set of a Route that no Router serves is given up past a dead Router, which drops the certificate when it is back [RTE-112, RTE-177]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const { router, routes } = shop
  const [a, b] = shop.instances
  await setTargets(world, routes[0], [a, b])
  await updateRoute(world.store.db, routes[1], { has_site: 0, has_name: 0, has_source: 0 })
  await world.store.db.deleteFrom('route_routers').where('route_id', '=', routes[1]).execute()
  world.machines.get(router.id)?.leaves.delete(`route-${routes[1]}-router`)
  const { id: d } = await addProduction(shop, 'd', shop.nodes[2]?.id ?? 0)
  world.broken.set('path', 'route.private_path_failed')
  world.worksAfter = { what: 'path', times: 1, seen: () => world.silent.add(router.id) }
  await assert.rejects(setTargets(world, routes[1], [d]))
  await unsetTarget(world, routes[1])
  assert.equal(await isRecorded(shop), false)
  world.silent.clear()
  assert.ok(world.machines.get(router.id)?.leaves.has(`route-${routes[1]}-router`))
  await clearResidues(shop, router.id)
  assert.ok(!world.machines.get(router.id)?.leaves.has(`route-${routes[1]}-router`))
  assert.equal((await routeAt(shop, 'b.example')).has_source, 0)
})

test('a stored set that waits for a machine that is lost ends with the Instances that stay, once the Instance is removed without its Node [RTE-113, RTX-049]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  await setTargets(world, shop.routes[0], [a, b, c])
  world.silent.add(shop.nodes[2]?.id ?? 0)
  const removal = { dispositions: [{ instance_id: c, remove: true as const }] }
  await assert.rejects(setTargets(world, shop.routes[0], [a, b], removal), { code: 'node.unreachable' })
  await destroyInstance(world, c, { force: true, offline: true })
  const { data } = await setTargets(world, shop.routes[0], [a, b])
  assert.deepEqual([data.status, data.target_set_step, data.failed_step], ['active', null, null])
  assert.equal(await recordedSetOf(world.store.db, shop.routes[0]), undefined)
  const { publication } = (await update(world, shop.routes[0], { publication: 'public' })).data
  assert.equal(publication, 'public')
})

for (const way of ['left', 'joined'] as const)
  test(`an Instance that ${way} a pool and is removed without its Node before the set has ended leaves no certificate there once the Node is back [RTE-177, RTE-180]`, async () => {
    const shop = await openShop()
    await using world = shop.world
    const [a, , c] = shop.instances
    const dead = shop.nodes[2]?.id ?? 0
    const leaves = (): readonly string[] => [...(world.machines.get(dead)?.leaves.keys() ?? [])]
    if (way === 'left') {
      await setTargets(world, shop.routes[0], [a, c])
      world.silent.add(dead)
      const removal = { dispositions: [{ instance_id: c, remove: true as const }] }
      await assert.rejects(setTargets(world, shop.routes[0], [a], removal), { code: 'node.unreachable' })
      assert.deepEqual(leaves(), [`app-instance-${c}`])
    } else {
      world.broken.set('leaf gone', 'certificate.publication_failed')
      await assert.rejects(setTargets(world, shop.routes[0], [a, c]))
      world.broken.clear()
      world.silent.add(dead)
      assert.deepEqual(leaves(), [`app-instance-${c}`, `app-instance-${c}-hostname-change`])
    }
    await destroyInstance(world, c, { force: true, offline: true })
    await setTargets(world, shop.routes[0], [a])
    world.silent.clear()
    await clearResidues(shop, dead)
    assert.deepEqual([leaves(), await residuesOn(world.store.db, dead)], [[], []])
  })

/** A pool of `a` and `b` whose change of domains failed and could not be undone, then the Node at this place dies. */
async function withLostReplacement(at: number) {
  const shop = await openShop()
  const { world, routes, nodes } = shop
  const [a, b] = shop.instances
  await setTargets(world, routes[0], [a, b])
  const before = await viewOf(world)
  world.broken.set('name', 'dns.busy')
  world.broken.set('leaf gone', 'certificate.publication_failed')
  await assert.rejects(update(world, routes[0], { domain: 'new.example' }), { code: 'dns.busy' })
  world.broken.clear()
  const { id, status } = await routeAt(shop, 'new.example')
  assert.equal(status, 'failed')
  const dead = nodes[at]?.id ?? 0
  world.silent.add(dead)
  return { shop, id, dead, before }
}

for (const at of [0, 1])
  test(`a replacement of a pool is removed past the dead Node of its ${at === 0 ? 'first' : 'second'} Instance: the other Node keeps nothing of it, and what the dead one keeps is recorded [RTE-052, RTE-175, RTE-177, RTX-065]`, async () => {
    const { shop, id, dead, before } = await withLostReplacement(at)
    await using world = shop.world
    await assert.rejects(destroy(world, id), { code: 'route.node_unreachable' })
    const { data } = await destroy(world, id, true)
    const kept = { node_id: dead, node: shop.nodes[at]?.name, steps: ['caddy', 'certificate'] }
    assert.deepEqual(data.retained_on_nodes, [kept])
    assert.equal((await routeAt(shop, 'a.example')).replaced_by_route_id, null)
    const other = world.machines.get(shop.nodes[1 - at]?.id ?? 0)
    assert.deepEqual([other?.sites.has('new.example'), other?.leaves.size], [false, 1])
    world.silent.clear()
    await clearResidues(shop, dead)
    assert.deepEqual(await viewOf(world), before)
  })

test('a removal of a replacement without its Node that stops half-way leaves it failed and both Routes a pair, and the identical request ends it [RTE-053, RTE-174, RTX-029]', async () => {
  const { shop, id, before, dead } = await withLostReplacement(0)
  await using world = shop.world
  await updateRoute(world.store.db, id, { status: 'pending', failed_step: null, error_code: null })
  world.broken.set('name', 'app-dev.projection_busy')
  await assert.rejects(destroy(world, id, true), { code: 'app-dev.projection_busy' })
  const { status, failed_step, replaces_route_id } = await routeAt(shop, 'new.example')
  assert.deepEqual([status, failed_step, replaces_route_id], ['failed', 'withdrawal', shop.routes[0]])
  assert.equal((await routeAt(shop, 'a.example')).replaced_by_route_id, id)
  assert.deepEqual(await residuesOn(world.store.db, dead), [])
  world.broken.clear()
  await destroy(world, id, true)
  world.silent.clear()
  await clearResidues(shop, dead)
  assert.deepEqual(await viewOf(world), before)
})

test('a removal of a Route with a web root without its Node that stops half-way is `failed` with its step, and the identical request ends it [RTE-174, RTE-177, RTX-029, RTX-032]', async () => {
  await using world = await startWorld()
  const { route } = await admin(world)
  world.silent.add(world.node.id)
  world.broken.set('name', 'app-dev.projection_busy')
  await assert.rejects(destroy(world, route, true), { code: 'app-dev.projection_busy' })
  const stored = await findRoute(world.store.db, route)
  assert.deepEqual([stored?.status, stored?.failed_step], ['failed', 'targeted:dns'])
  assert.deepEqual(await residuesOn(world.store.db, world.node.id), [])
  world.broken.clear()
  const { data } = await destroy(world, route, true)
  assert.deepEqual(data.retained_on_nodes, [
    { node_id: world.node.id, node: 'web-1', steps: ['caddy', 'certificate'] },
  ])
  assert.equal(await findRoute(world.store.db, route), undefined)
})
