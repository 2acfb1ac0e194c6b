import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Deadline, systemClock } from '@fleet/kernel'
import { addRole, fakeCall } from '@fleet/testing'
import { concernedRoutes } from '#/routes/concerned.ts'
import { addProduction, openShop, routeAt, type Shop, sitesOf, viewOf } from '#/routes/pools/world.test.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { recordedSetOf } from '#/routes/pools/queries.ts'
import { presentRoute } from '#/routes/present.ts'
import { findRoute, updateRoute } from '#/routes/queries.ts'
import { destroyInstance, setTarget, setTargets, unsetTarget, update } from '#/routes/world.test.ts'

const targetsOf = async ({ world }: Shop, id: number) =>
  (await findRoute(world.store.db, id))?.targets.map(({ instance_id, position }) => [instance_id, position])

test('a Route leads to an ordered set of Instances: each added one is prepared, stored, named, led to, and only then released from the Route that it leaves [RTE-004, RTE-104, RTE-107, RTE-110, RTE-111, RTX-018]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const call = fakeCall()
  const { data } = await setTargets(world, shop.routes[0], [b, a], {}, call)
  assert.deepEqual(
    [
      data.id,
      data.status,
      data.target?.instance_id,
      data.targets.map((one) => [one.instance_id, one.position]),
    ],
    [
      shop.routes[0],
      'active',
      b,
      [
        [b, 1],
        [a, 2],
      ],
    ],
  )
  assert.deepEqual(world.done, [
    `web-2: service of ${b}`,
    'web-2: access /home/b/releases/r1',
    `web-2: leaf app-instance-${b}-hostname-change`,
    'web-2: sites a.example b.example',
    `environment of ${b} under a.example`,
    'router: path of a.example to 10.44.0.8',
    `environment of ${a} under a.example`,
    'router: leaf route-1-router',
    'router: sites a.example b.example c.example',
    'router: sites a.example b.example c.example',
    'names a.example b.example c.example',
    `web-2: leaf app-instance-${b}`,
    'web-2: sites a.example',
    `web-2: no leaf app-instance-${b}-hostname-change`,
    'web-2: pools',
  ])
  const [one, two, three] = shop.nodes
  assert.deepEqual(sitesOf(shop), {
    [one?.id ?? 0]: { 'a.example': `/home/a/current/public /run/php/a.sock` },
    [shop.router.id]: {
      'a.example': 'pool 10.44.0.8 10.44.0.7',
      'b.example': 'pool ',
      'c.example': 'pool 10.44.0.9',
    },
    [two?.id ?? 0]: { 'a.example': `/home/b/current/public /run/php/b.sock` },
    [three?.id ?? 0]: {
      'c.example': `/home/c/current/public /run/php/c.sock`,
    },
  })
  assert.deepEqual(
    call.events.map(({ type, data: sent }) => [type, (sent as { readonly domain: string }).domain]), // The events of Routes carry their domain.
    [
      ['route.updated', 'a.example'],
      ['route.updated', 'b.example'],
    ],
  )
  assert.equal((await routeAt(shop, 'b.example')).status, 'pending')
  assert.equal(await recordedSetOf(world.store.db, shop.routes[0]), undefined)
})

test('while private configuration is being published a set is refused and not recorded [RTE-101]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const lock = { name: 'dnsmasq-projections', operation: 'route:create', requestId: 'r', leaseSeconds: 60 }
  {
    await using _held = await world.store.locks.acquire({ ...lock, waitMilliseconds: 0 })
    const call = fakeCall({ deadline: new Deadline(systemClock, 20, 20) })
    const before = await viewOf(world)
    const refused = { code: 'app-dev.projection_busy', status: 409 }
    await assert.rejects(setTargets(world, shop.routes[0], [a, b], {}, call), refused)
    assert.deepEqual([await viewOf(world), world.done], [before, []])
    assert.equal(await recordedSetOf(world.store.db, shop.routes[0]), undefined)
  }
  assert.equal((await setTargets(world, shop.routes[0], [a, b])).data.targets.length, 2)
})

test('a set that a Route has, and one that was carried out, changes nothing [RTE-071, RTX-049]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  await setTargets(world, shop.routes[0], [a, b])
  const request = { dispositions: [{ instance_id: b, remove: true as const }] }
  await setTargets(world, shop.routes[0], [a, c], request)
  const before = await viewOf(world)
  world.done.length = 0
  const call = fakeCall()
  const { data } = await setTargets(world, shop.routes[0], [a, c], request, call)
  await setTargets(world, shop.routes[0], [a, c])
  assert.deepEqual([data.status, call.events, world.done, await viewOf(world)], ['active', [], [], before])
})

test('an Instance that leaves serves another Route, which becomes active with its first one [RTE-071, RTE-108]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  await setTargets(world, shop.routes[0], [a, b])
  assert.equal((await routeAt(shop, 'b.example')).status, 'pending')
  world.done.length = 0
  const { data } = await setTargets(world, shop.routes[0], [b], {
    dispositions: [{ instance_id: a, route_id: shop.routes[1] }],
  })
  assert.deepEqual(
    data.targets.map(({ instance_id }) => instance_id),
    [b],
  )
  assert.equal((await routeAt(shop, 'b.example')).status, 'active')
  assert.deepEqual(await targetsOf(shop, shop.routes[1]), [[a, 1]])
  assert.deepEqual([...(world.machines.get(shop.router.id)?.sites ?? [])].slice(0, 2), [
    ['a.example', 'pool 10.44.0.8'],
    ['b.example', 'pool 10.44.0.7'],
  ])
  assert.deepEqual(
    [...(world.machines.get(world.node.id)?.leaves ?? [])],
    [[`app-instance-${a}`, 'b.example']],
  )
})

test('a Route that served nothing since it was cleared is served again: certificate, site and name [RTE-108]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  await setTargets(world, shop.routes[0], [a, b])
  await updateRoute(world.store.db, shop.routes[1], { has_site: 0, has_name: 0, has_source: 0 })
  await world.store.db.deleteFrom('route_routers').where('route_id', '=', shop.routes[1]).execute()
  await setTargets(world, shop.routes[0], [a], {
    dispositions: [{ instance_id: b, route_id: shop.routes[1] }],
  })
  const { status, has_site, has_name } = await routeAt(shop, 'b.example')
  assert.deepEqual([status, has_site, has_name], ['active', 1, 1])
  assert.ok(world.names.has('b.example'))
  assert.equal(world.machines.get(shop.router.id)?.sites.get('b.example'), 'pool 10.44.0.8')
})

test('what a set removes is removed last, and its Node has nothing of it [RTE-111, RTX-014]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  await setTargets(world, shop.routes[0], [a, b])
  const call = fakeCall()
  await setTargets(world, shop.routes[0], [a], { dispositions: [{ instance_id: b, remove: true }] }, call)
  assert.deepEqual(
    call.steps
      .filter((step) => step.endsWith('started'))
      .slice(-8)
      .map((step) => step.split(' ')[0]),
    [
      'remove',
      'source_preparation',
      'route_target_clear',
      'source_finalization',
      'runtime_cleanup',
      'row_deletion',
      'settle',
    ].toSpliced(0, 0, 'activate'),
  )
  assert.equal(await world.deps.instances.find(b), undefined)
  const machine = world.machines.get(shop.nodes[1]?.id ?? 0)
  assert.deepEqual([[...(machine?.sites ?? [])], [...(machine?.leaves ?? [])]], [[], []])
  assert.ok(call.events.some(({ type }) => type === 'instance.deleted'))
})

test('an Instance takes the place of another one of its Node in one build [RTE-116]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a] = shop.instances
  const { id: d } = await addProduction(shop, 'd', world.node.id)
  await assert.rejects(setTargets(world, shop.routes[0], [a, d]), { code: 'route.target_conflict' })
  world.builds.length = 0
  await setTargets(world, shop.routes[0], [d], { dispositions: [{ instance_id: a, remove: true }] })
  const served = world.builds
    .filter((build) => build.includes('a.example /home'))
    .map((build) => build.includes('/home/d/'))
  assert.equal(served.includes(false, served.indexOf(true)), false, 'once it serves, it serves to the end')
  assert.equal(world.machine.sites.get('a.example'), `/home/d/current/public /run/php/d.sock`)
})

test('an order of its own is stored and served [RTE-022]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  await setTargets(world, shop.routes[0], [a, b])
  await setTargets(world, shop.routes[0], [b, a])
  assert.deepEqual(await targetsOf(shop, shop.routes[0]), [
    [b, 1],
    [a, 2],
  ])
  assert.equal(world.machines.get(shop.router.id)?.sites.get('a.example'), 'pool 10.44.0.8 10.44.0.7')
})

test('a Router that does not reach an added Instance leads nobody to it: everything is as before, and the set stays recorded [RTE-112, RTE-114]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  const before = await viewOf(world)
  world.broken.set('path', 'route.private_path_failed')
  const call = fakeCall()
  await assert.rejects(setTargets(world, shop.routes[0], [a, b], {}, call), {
    code: 'route.private_path_failed',
  })
  assert.deepEqual([await viewOf(world), call.events], [before, []])
  const { target_set_step, failed_step, status } = await routeAt(shop, 'a.example')
  assert.deepEqual([target_set_step, failed_step, status], [null, null, 'active'])
  assert.deepEqual((await recordedSetOf(world.store.db, shop.routes[0]))?.targets, [a, b])
  world.broken.clear()
  for (const work of [
    () => setTargets(world, shop.routes[0], [a, c]),
    () => setTargets(world, shop.routes[1], [b, c]),
    () =>
      setTargets(world, shop.routes[2], [b], {
        dispositions: [{ instance_id: c, route_id: shop.routes[1] }],
      }),
    () => setTarget(world, shop.routes[0], b),
    () => unsetTarget(world, shop.routes[1]),
    () => update(world, shop.routes[1], { domain: 'new.example' }),
  ])
    await assert.rejects(work, { code: 'route.target_set_conflict' })
  assert.equal((await setTargets(world, shop.routes[0], [a, b])).data.targets.length, 2)
})

test('whoever names the present targets gives a set up that cannot be prepared [RTE-112]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  world.broken.set('path', 'route.private_path_failed')
  world.broken.set('leaf gone', 'certificate.publication_failed')
  const before = await viewOf(world)
  await assert.rejects(setTargets(world, shop.routes[0], [a, b]), { code: 'route.private_path_failed' })
  assert.notDeepEqual(await viewOf(world), before)
  assert.equal((await routeAt(shop, 'a.example')).failed_step, 'workload-certificate')
  const shown = async () => {
    const input = { route: shop.routes[0] }
    return (await world.routes.handlers['route:show']({ call: fakeCall(), input })).data.target_set
  }
  assert.deepEqual(await shown(), { targets: [a, b], dispositions: [] })
  world.broken.clear()
  await setTargets(world, shop.routes[0], [a])
  assert.deepEqual(await viewOf(world), before)
  assert.equal(await recordedSetOf(world.store.db, shop.routes[0]), undefined)
  assert.equal(await shown(), undefined)
  assert.equal((await routeAt(shop, 'a.example')).failed_step, null)
})

test('a set whose added Instance was removed is given up too, where nothing else could be carried out [RTE-112]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, , c] = shop.instances
  await setTargets(world, shop.routes[0], [a])
  world.broken.set('path', 'route.private_path_failed')
  await assert.rejects(setTargets(world, shop.routes[0], [a, c]), { code: 'route.private_path_failed' })
  world.broken.clear()
  await destroyInstance(world, c)
  const { db } = world.store
  await db.updateTable('instances').set({ status: 'source_resolved' }).where('id', '=', a).execute()
  await setTargets(world, shop.routes[0], [a])
  assert.equal(await recordedSetOf(world.store.db, shop.routes[0]), undefined)
})

test('once it is stored a set is finished by the same request and by no other, and says where it stopped [RTE-021, RTE-113, RTE-114, RTE-123]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  world.broken.set('name', 'dns.busy')
  const call = fakeCall()
  await assert.rejects(setTargets(world, shop.routes[0], [a, b], {}, call), { code: 'dns.busy' })
  const { target_set_step, failed_step, error_code, status } = await routeAt(shop, 'a.example')
  assert.deepEqual(
    [target_set_step, failed_step, error_code, status],
    ['private-dns', 'private-dns', 'dns.busy', 'active'],
  )
  assert.equal(presentRoute(await routeAt(shop, 'a.example')).target_set_step, 'private-dns')
  assert.deepEqual(await targetsOf(shop, shop.routes[0]), [
    [a, 1],
    [b, 2],
  ])
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['route.updated', 'route.updated'],
  )
  world.broken.clear()
  for (const targets of [[a], [a, c], [b, a]])
    await assert.rejects(setTargets(world, shop.routes[0], targets), { code: 'route.target_set_conflict' })
  const { data } = await setTargets(world, shop.routes[0], [a, b])
  assert.deepEqual([data.target_set_step, data.failed_step, data.targets.length], [null, null, 2])
})

test('another set is refused at once, without a wait for whoever carries the recorded one out [RTE-114]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  world.broken.set('name', 'dns.busy')
  await assert.rejects(setTargets(world, shop.routes[0], [a, b]), { code: 'dns.busy' })
  await world.deps.instances.withOperationLock(fakeCall(), a, 'env.operation_busy', () =>
    assert.rejects(setTargets(world, shop.routes[0], [a, c]), { code: 'route.target_set_conflict' }),
  )
})

test('a stored set whose Instance was removed meanwhile is finished by who names those that are left [RTE-114, RTX-049]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  await setTargets(world, shop.routes[0], [a, b])
  world.broken.set('name', 'dns.busy')
  await assert.rejects(setTargets(world, shop.routes[0], [a, b, c]), { code: 'dns.busy' })
  await assert.rejects(setTargets(world, shop.routes[0], [a, c]), { code: 'route.target_set_conflict' })
  world.broken.clear()
  await destroyInstance(world, b)
  await assert.rejects(setTargets(world, shop.routes[0], [a]), { code: 'route.target_set_conflict' })
  const { data } = await setTargets(world, shop.routes[0], [a, c])
  assert.deepEqual([data.target_set_step, data.failed_step], [null, null])
  assert.deepEqual(await targetsOf(shop, shop.routes[0]), [
    [a, 1],
    [c, 2],
  ])
  assert.equal(await recordedSetOf(world.store.db, shop.routes[0]), undefined)
})

for (const [how, isRemovedElsewhere] of [
  ['is finished by the same request', false],
  ['and that somebody else finished leaves nothing to the same request', true],
] as const)
  test(`a removal that was begun ${how}, and nothing comes back [RTX-049]`, async () => {
    const shop = await openShop()
    await using world = shop.world
    const [a, b] = shop.instances
    await setTargets(world, shop.routes[0], [a, b])
    const request = { dispositions: [{ instance_id: b, remove: true as const }] }
    world.broken.set('leaf gone', 'certificate.publication_failed')
    await assert.rejects(setTargets(world, shop.routes[0], [a], request))
    assert.ok(await world.deps.instances.find(b))
    world.broken.clear()
    if (isRemovedElsewhere) await destroyInstance(world, b)
    for (const again of [false, true]) {
      const call = fakeCall()
      const { data } = await setTargets(world, shop.routes[0], [a], request, call)
      assert.deepEqual([data.target_set_step, data.targets.length], [null, 1])
      assert.equal(await world.deps.instances.find(b), undefined)
      const removed = call.events.filter(({ type }) => type === 'instance.deleted')
      assert.equal(removed.length, isRemovedElsewhere || again ? 0 : 1)
    }
  })

/** The pool as it is without the Instance, then its end. */
async function assertToldOf(shop: Shop, call: ReturnType<typeof fakeCall>, gone: number): Promise<void> {
  const [pool, instance] = call.events
  assert.equal(call.events.length, 2)
  assert.deepEqual(pool, { type: 'route.updated', data: presentRoute(await routeAt(shop, 'a.example')) })
  const { data } = instance ?? {}
  assert.deepEqual([instance?.type, data], ['instance.deleted', { ...Object(data), id: gone }])
}

test('an Instance of a pool that is removed leaves it: the others serve on, the Router leads nobody to it, and its Node reads nothing of it [RTX-030, INS-114, EV-050, SRC-001]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  await setTargets(world, shop.routes[0], [a, b, c])
  assert.deepEqual(openedOn(shop, 1), ['public'])
  world.done.length = 0
  const call = fakeCall()
  await destroyInstance(world, b, {}, call)
  await assertToldOf(shop, call, b)
  assert.deepEqual(await targetsOf(shop, shop.routes[0]), [
    [a, 1],
    [c, 2],
  ])
  assert.equal((await routeAt(shop, 'a.example')).status, 'active')
  assert.equal(world.machines.get(shop.router.id)?.sites.get('a.example'), 'pool 10.44.0.7 10.44.0.9')
  assert.deepEqual(
    world.done.filter((what) => /^(router|web-2): (sites|no)/.test(what)),
    ['router: sites a.example b.example c.example', 'web-2: sites none', `web-2: no leaf app-instance-${b}`],
  )
  assert.deepEqual(openedOn(shop, 1), [])
  // What waits for the end of the request is left out.
  const early = { ...fakeCall(), event: () => undefined }
  await destroyInstance(world, a, {}, early)
  assert.deepEqual(
    early.events.map(({ type }) => type),
    ['route.updated', 'instance.deleted'],
  )
  await destroyInstance(world, c)
  assert.equal(await findRoute(world.store.db, shop.routes[0]), undefined)
})

test('a removal that its Node did not hear of to the end takes site, access and certificate from it when it is repeated [INS-114, SRC-001]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  await setTargets(world, shop.routes[0], [a, b, c])
  const dead = shop.nodes[1]?.id ?? 0
  world.silent.add(dead)
  await assert.rejects(destroyInstance(world, b))
  assert.deepEqual(await targetsOf(shop, shop.routes[0]), [
    [a, 1],
    [c, 2],
  ])
  world.silent.delete(dead)
  assert.deepEqual([...(world.machines.get(dead)?.sites.keys() ?? [])], ['a.example'])
  world.done.length = 0
  await destroyInstance(world, b)
  assert.deepEqual([...(world.machines.get(dead)?.sites.keys() ?? [])], [])
  assert.deepEqual(openedOn(shop, 1), [])
  assert.ok(world.done.includes(`web-2: no leaf app-instance-${b}`), world.done.join('\n'))
  assert.equal(await world.deps.instances.find(b), undefined)
})

/** Web roots of the release of the second Instance that its web server may read. */
const openedOn = ({ world, nodes }: Shop, at: number): readonly string[] | undefined =>
  world.machines.get(nodes[at]?.id ?? 0)?.opened.get('/home/b/releases/r1')

test('a dead Node leaves the pool with its Instance, what stays there is recorded, and once it is back its web server reads nothing of it [RTE-177, SRC-001]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  await setTargets(world, shop.routes[0], [a, b, c])
  const dead = shop.nodes[1]?.id ?? 0
  world.silent.add(dead)
  const call = fakeCall()
  await destroyInstance(world, b, { force: true, offline: true }, call)
  await assertToldOf(shop, call, b)
  assert.deepEqual(await targetsOf(shop, shop.routes[0]), [
    [a, 1],
    [c, 2],
  ])
  assert.equal((await routeAt(shop, 'a.example')).status, 'active')
  assert.equal(world.machines.get(shop.router.id)?.sites.get('a.example'), 'pool 10.44.0.7 10.44.0.9')
  const residues = await world.store.db.selectFrom('route_residues').selectAll().execute()
  assert.deepEqual(
    residues.map(({ node_id, leaf_scope, domain }) => [node_id, leaf_scope, domain]),
    [[dead, `app-instance-${b}`, 'a.example']],
  )
  world.silent.delete(dead)
  assert.deepEqual(openedOn(shop, 1), ['public'])
  const node = (await world.deps.nodes.find(dead)) ?? assert.fail('the Node stays')
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), node)
  assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
  assert.deepEqual(openedOn(shop, 1), [])
})

test('an Instance behind the Router of its own Node is led to by a socket, and nobody asks its address [RTX-048]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a] = shop.instances
  await addRole(world.store, { node_id: shop.router.id, role: 'app-prod' })
  const { id: d } = await addProduction(shop, 'd', shop.router.id)
  await setTargets(world, shop.routes[0], [a, d])
  const router = world.machines.get(shop.router.id)
  assert.equal(
    router?.sites.get('a.example'),
    `pool 10.44.0.7 /run/fleet-sites/route-${shop.routes[0]}-instance-${d}.sock`,
  )
  assert.equal(
    world.done.some((what) => what.includes('path of')),
    false,
  )
})

test('a Route of several Instances stays in its Cluster: the Node of one of them cannot leave it alone', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const movable = async () =>
    (
      await concernedRoutes(world.deps, {
        clusterId: shop.clusterId,
        moves: [
          {
            nodeId: world.node.id,
            before: { clusterId: shop.clusterId, tld: null },
            after: { clusterId: null, tld: null },
          },
        ],
      })
    ).map(({ domain, isMovable }) => [domain, isMovable])
  assert.deepEqual(await movable(), [['a.example', true]])
  await setTargets(world, shop.routes[0], [a, b])
  assert.deepEqual(await movable(), [['a.example', false]])
})

test('a set reports the steps that had nothing to do as skipped, and the others as done', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  const { id: d } = await addProduction(shop, 'd', world.node.id)
  const optional = ['router-certificate', 'workload-sites', 'vacated-routes', 'remove']
  const doneBy = async (ids: readonly number[], request: object = {}) => {
    const call = fakeCall()
    await setTargets(world, shop.routes[0], ids, request, call)
    const outcomes = optional.map((name) =>
      call.steps.find((line) => line === `${name} done` || line === `${name} skipped`),
    )
    return outcomes.map((line, at) => (line === `${optional[at]} skipped` ? 'skipped' : line))
  }
  assert.deepEqual(await doneBy([a, b]), ['skipped', 'skipped', 'vacated-routes done', 'skipped'])
  const removing = { dispositions: [{ instance_id: a, remove: true }] }
  assert.deepEqual(await doneBy([d, b], removing), [
    'skipped',
    'workload-sites done',
    'vacated-routes done',
    'remove done',
  ])
  await updateRoute(world.store.db, shop.routes[1], { has_site: 0 })
  const leaving = { dispositions: [{ instance_id: b, route_id: shop.routes[1] }] }
  assert.deepEqual(await doneBy([d], leaving), [
    'router-certificate done',
    'skipped',
    'vacated-routes done',
    'skipped',
  ])
  await setTargets(world, shop.routes[0], [c, d])
  assert.deepEqual(await doneBy([d, c]), ['skipped', 'skipped', 'skipped', 'skipped'])
})

test('two Instances of a pool that are removed at once take its Route with them, as one after the other does [RTX-030]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const [route] = shop.routes
  await setTargets(world, route, [a, b])
  let removals: readonly Promise<unknown>[] = []
  await holding(world.store, fakeCall(), lockOf('route', route), async () => {
    // Each finds the other one in the pool, and waits.
    removals = [a, b].map((instance) => destroyInstance(world, instance))
    await pause(500)
  })
  await Promise.all(removals)
  assert.equal(await findRoute(world.store.db, route), undefined)
  assert.ok(!world.names.has('a.example'))
})
