import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCluster, addInstance, addNode, addRole, fakeCall } from '@fleet/testing'
import { operationOf } from '#/routes/input.test.ts'
import { appRoutes, findRoute, updateRoute } from '#/routes/queries.ts'
import { makeServedSource } from '#/routes/served.ts'
import {
  addApp,
  create,
  createFor,
  createInstance,
  destroy,
  destroyInstance,
  startWorld,
  type World,
} from '#/routes/world.test.ts'

const ADMIN = { domain: 'admin.example', web_root: 'apps/admin/public' }

async function shop(world: World): Promise<{ readonly id: number; readonly projectId: number }> {
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  world.done.length = 0
  return { id: data.id, projectId: project.id }
}

/** An Instance without a Route of its own. */
async function plain(world: World): Promise<number> {
  const project = await addApp(world, { type: 'monorepo', root: 'web' })
  const { data } = await createInstance(world, { project_id: project.id })
  return data.id
}

test('a directory of a checkout gets a domain, a pool and a leaf of its own, and its name last [RTE-004, RTE-029, RTE-044, RTE-060, RTE-061, RTE-063, RTE-064, RTE-140, EV-048]', async () => {
  await using world = await startWorld()
  const { id, projectId } = await shop(world)
  const call = fakeCall()
  const { data, created } = await createFor(world, id, { ...ADMIN, domain: 'Admin.Example.' }, call)
  assert.equal(created, true)
  assert.deepEqual(
    { ...data, targets: data.targets.map(({ instance_id, position }) => [instance_id, position]), target: 0 },
    {
      id: data.id,
      kind: 'app',
      project_id: projectId,
      node_id: world.node.id,
      cluster_id: null,
      generation_basis_node_id: null,
      domain: 'admin.example',
      web_root: 'apps/admin/public',
      provenance: 'explicit',
      publication: 'private',
      status: 'active',
      failed_step: null,
      error_code: null,
      replaces_route_id: null,
      replaced_by_route_id: null,
      replacement_step: null,
      target_set_step: null,
      target: 0,
      targets: [[id, 1]],
      process_id: null,
      upstream: null,
      analytics_instance_id: null,
    },
  )
  assert.deepEqual(
    [world.done.slice(0, 2), world.done.slice(3)],
    [
      ['access', 'php of apps/admin'],
      [
        `leaf route-${data.id}`,
        'sites shop.test admin.example',
        'url of apps/admin is https://admin.example',
        'names shop.test admin.example',
      ],
    ],
  )
  assert.equal(world.machine.pools.size, 2)
  const roots = world.machine.opened.get('/home/fleet/apps/shop/default')
  assert.deepEqual(roots, ['apps/admin/public', 'public'])
  assert.deepEqual(call.events, [{ type: 'route.created', data }])
  assert.deepEqual([call.notes.target, call.notes.subject], [world.node.id, `route:${data.id}`])
})

test('on a Node that runs no PHP a Route to a source with PHP is refused before anything is recorded; a package is served [GW-027]', async () => {
  await using world = await startWorld()
  const id = await plain(world)
  const project = await addApp(world, {
    slug: 'pack',
    type: 'node-package',
    root: 'web',
    repository_url: 'https://example.com/pack.git',
    repository_identity: 'example.com/pack',
  })
  const { data: pack } = await createInstance(world, { project_id: project.id })
  world.runsNoPhp = true
  world.done.length = 0
  for (const given of [{ domain: 'own.example' }, ADMIN])
    await assert.rejects(createFor(world, id, given), { code: 'node.capability_missing', status: 409 })
  assert.deepEqual([await appRoutes(world.store.db), world.done], [[], []])
  world.php = null
  assert.equal((await createFor(world, pack.id, ADMIN)).data.status, 'active')
})

test('an Instance without a Route of its own gets one [RTE-028, RTE-044]', async () => {
  await using world = await startWorld()
  const id = await plain(world)
  const { data } = await createFor(world, id)
  assert.deepEqual([data.status, data.web_root, data.provenance], ['active', null, 'explicit'])
  assert.deepEqual([...world.machine.leaves.keys()], [`app-instance-${id}`])
  const own = await world.routes.forInstances.own([id])
  assert.equal(own.get(id)?.id, data.id)
})

test('the identical request answers the Route; other values of the Project are a repeat gone wrong [RTE-046, RTE-073, RTE-075]', async () => {
  await using world = await startWorld()
  const { id, projectId } = await shop(world)
  const { data } = await createFor(world, id, ADMIN)
  world.done.length = 0
  const call = fakeCall()
  assert.deepEqual(await createFor(world, id, { ...ADMIN, publication: 'private' }, call), {
    data,
    created: false,
  })
  assert.deepEqual([world.done, call.events], [[], []])
  const second = await createInstance(world, { project_id: projectId, name: 'b' })
  const details = { domain: ADMIN.domain, existing_route_id: data.id }
  for (const [instance, given, member] of [
    [id, { web_root: 'apps/other' }, 'web_root'],
    [id, { publication: 'public' }, 'publication'],
    [second.data.id, {}, 'instance_id'],
  ] as const)
    await assert.rejects(createFor(world, instance, { ...ADMIN, ...given }), {
      code: 'route.retry_conflict',
      details: { ...details, members: [member] },
    })
  const other = await addApp(world, { slug: 'other' })
  const foreign = await createInstance(world, { project_id: other.id })
  await assert.rejects(createFor(world, foreign.data.id, ADMIN), { code: 'route.domain_conflict', details })
  const proxy = await create(world)
  await assert.rejects(createFor(world, id, { ...ADMIN, domain: proxy.data.domain }), {
    code: 'route.domain_conflict',
  })
})

test('each refusal comes before any change [RTE-062, RTE-065, RTE-072, RTE-074, RTE-077, RTE-078, RTE-079, RTE-084, RTE-085, RTE-134, RTE-138, RTX-069]', async () => {
  await using world = await startWorld()
  const { id, projectId } = await shop(world)
  const place = { project_id: projectId, node_id: world.node.id }
  const reserved = await addInstance(world.store, { ...place, name: 'other', status: 'reserved' })
  const lib = await addApp(world, { slug: 'lib', type: 'node-package', root: '.' })
  const packaged = await createInstance(world, { project_id: lib.id })
  const { id: placeholder } = await addApp(world, { slug: 'braces', type: 'node-package', root: 'c{d}' })
  const unwritable = await createInstance(world, { project_id: placeholder })
  const failed = await addNode(world.store, { status: 'failed' })
  const lost = await addInstance(world.store, {
    ...place,
    node_id: failed.id,
    name: 'lost',
    status: 'active',
  })
  const before = await appRoutes(world.store.db)
  for (const [instance, given, code] of [
    [id, { domain: 'a b' }, 'route.domain_invalid'],
    [id, { domain: 'gateway.fleet' }, 'route.domain_conflict'],
    [id, { domain: `${failed.name}.fleet` }, 'route.domain_conflict'],
    [id, { node_id: 1 }, 'validation.failed'],
    [reserved.id, {}, 'route.target_inactive'],
    [999, {}, 'route.target_inactive'],
    [packaged.data.id, {}, 'route.target_web_root_unsupported'],
    [unwritable.data.id, {}, 'route.target_web_root_unsupported'],
    [lost.id, ADMIN, 'route.node_inactive'],
    [id, {}, 'route.target_conflict'],
  ] as const)
    await assert.rejects(createFor(world, instance, given), { code }, JSON.stringify(given))
  const [own] = before.filter(({ web_root }) => web_root === null)
  await assert.rejects(createFor(world, id), {
    details: { requested_route_id: null, existing_route_id: own?.id, instance_ids: [id] },
  })
  for (const web_root of [
    '../x',
    '/x',
    './x',
    'a//b',
    'a/../b',
    'a/',
    '.',
    '.git',
    'a\\b',
    'a\nb',
    'a"b',
    '`a`',
    'a{',
    '}',
    '$a',
  ])
    await assert.rejects(createFor(world, id, { web_root }), (error: { code: string; details: object }) => {
      assert.equal(error.code, 'validation.failed', web_root)
      return JSON.stringify(error.details).includes('"web_root"')
    })
  await addCluster(world.store, { state: 'active' }, [world.node])
  await assert.rejects(createFor(world, id, ADMIN), { code: 'route.router_required' })
  assert.equal(operationOf('route:create').input.safeParse({ instance_id: 1 }).success, false)
  assert.deepEqual(world.done, [])
  assert.deepEqual(await appRoutes(world.store.db), before)
})

test('a step that fails leaves the Route activating with step and code, and the identical request resumes it [RTE-019, RTE-046, RTX-023]', async () => {
  for (const [what, step] of [
    ['php', 'php'],
    ['pool', 'php'],
    ['access', 'source-access'],
    ['leaf', 'certificate'],
    ['site', 'caddy'],
    ['url', 'application-url'],
    ['name', 'dns'],
  ] as const) {
    await using world = await startWorld()
    const { id } = await shop(world)
    world.broken.set(what, 'app-dev.source_access_failed')
    const call = fakeCall()
    await assert.rejects(createFor(world, id, ADMIN, call), { code: 'app-dev.source_access_failed' })
    assert.deepEqual([...world.names], ['shop.test'])
    const [, failed] = await appRoutes(world.store.db)
    assert.deepEqual(
      [failed?.status, failed?.failed_step, failed?.error_code, call.events],
      ['activating', step, 'app-dev.source_access_failed', []],
    )
    world.broken.clear()
    const again = fakeCall()
    const { data, created } = await createFor(world, id, ADMIN, again)
    assert.deepEqual([data.id, data.status, data.failed_step, created], [failed?.id, 'active', null, false])
    assert.deepEqual(again.events, [{ type: 'route.created', data }])
  }
})

test('a web root that was refused is asked for again by the identical request alone, not by what else serves the checkout [RTE-135]', async () => {
  await using world = await startWorld()
  const { id } = await shop(world)
  const served = makeServedSource({ store: world.store })
  const roots = async () => (await served.servedOn(world.node)).flatMap(({ webRoots }) => webRoots).join(' ')
  const before = await roots()
  world.broken.set('access', 'app-dev.source_access_failed')
  await assert.rejects(createFor(world, id, ADMIN), { code: 'app-dev.source_access_failed' })
  assert.equal(await roots(), before)
  world.broken.clear()
  await createFor(world, id, ADMIN)
  const after = await roots()
  assert.notEqual(after, before)
  // Of one that is served already, nothing is taken from the visitors that it has.
  const [, route] = await appRoutes(world.store.db)
  await updateRoute(world.store.db, route?.id ?? 0, { status: 'activating' })
  world.broken.set('access', 'app-dev.source_access_failed')
  await assert.rejects(createFor(world, id, ADMIN), { code: 'app-dev.source_access_failed' })
  assert.equal(await roots(), after)
})

test('a Route with a web root goes alone, and its pool with it; those of an Instance go before its own [RTE-143, RTE-151]', async () => {
  await using world = await startWorld()
  const { id } = await shop(world)
  const { data } = await createFor(world, id, ADMIN)
  world.done.length = 0
  const call = fakeCall()
  const destroyed = await destroy(world, data.id, false, call)
  assert.deepEqual(destroyed.data.retained_on_nodes, [])
  assert.deepEqual(world.done, [
    'sites shop.test admin.example',
    'names shop.test',
    'sites shop.test',
    'pools',
    'access',
    `no leaf route-${data.id}`,
  ])
  assert.equal(world.machine.pools.size, 1)
  assert.deepEqual(world.machine.opened.get('/home/fleet/apps/shop/default'), ['public'])
  assert.deepEqual(call.events, [{ type: 'route.deleted', data: { id: data.id, domain: data.domain } }])
  await createFor(world, id, ADMIN)
  world.builds.length = 0
  await destroyInstance(world, id)
  const root = '/home/fleet/apps/shop/default/public /run/php/'
  assert.equal(world.builds[1]?.startsWith(`shop.test ${root}`), true, world.builds.join('\n'))
  assert.deepEqual([world.machine.leaves.size, world.machine.sites.size, world.names.size], [0, 0, 0])
})

test('a silent Node keeps a Route with a web root until it converges [RTE-056, RTE-177]', async () => {
  await using world = await startWorld()
  const { id } = await shop(world)
  const { data } = await createFor(world, id, ADMIN)
  world.answers = false
  const { data: destroyed } = await destroy(world, data.id, true)
  assert.deepEqual(destroyed.retained_on_nodes, [
    { node_id: world.node.id, node: world.node.name, steps: ['caddy', 'certificate'] },
  ])
  assert.deepEqual([...world.names], ['shop.test'])
  assert.ok(world.machine.sites.has('admin.example'))
  world.answers = true
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
  assert.deepEqual([...world.machine.sites.keys()], ['shop.test'])
  assert.deepEqual([...world.machine.leaves.keys()], [`app-instance-${id}`])
})

test('an own Route whose creation failed may go; an active one belongs to its Instance [RTE-094]', async () => {
  await using world = await startWorld()
  const id = await plain(world)
  world.broken.set('leaf', 'certificate.publication_failed')
  await assert.rejects(createFor(world, id))
  world.broken.clear()
  const [failed] = await appRoutes(world.store.db)
  await destroy(world, failed?.id ?? 0)
  assert.deepEqual(await appRoutes(world.store.db), [])
  const { data } = await createFor(world, id)
  await assert.rejects(destroy(world, data.id), { code: 'route.target_conflict' })
  assert.equal((await findRoute(world.store.db, data.id))?.status, 'active')
})

test('a directory is called after the oldest Route that serves it; the default one after the own Route [RTE-144]', async () => {
  await using world = await startWorld()
  const { id } = await shop(world)
  const oldest = await createFor(world, id, { domain: 'a.example', web_root: 'apps/admin/public' })
  await createFor(world, id, { domain: 'b.example', web_root: 'apps/admin/other' })
  assert.deepEqual(
    [...world.machine.urls],
    [
      ['apps/admin', 'https://a.example'],
      ['apps/admin/other', 'https://b.example'],
    ],
  )
  await createFor(world, id, { domain: 'c.example', web_root: 'apps/admin/public' })
  assert.equal(world.machine.urls.get('apps/admin'), 'https://a.example')
  await createFor(world, id, { domain: 'd.example', web_root: 'public' })
  assert.equal(world.machine.urls.has(''), false)
  await destroy(world, oldest.data.id)
  assert.equal(world.machine.urls.get('apps/admin'), 'https://c.example')
})

test('a Node of an active Cluster has the scope of that, with or without a top-level domain; every other one its own [RTE-038]', async () => {
  for (const [state, tld] of [
    ['active', null],
    ['active', 'lan'],
    ['inactive', 'lan'],
  ] as const) {
    await using world = await startWorld()
    const id = await plain(world)
    const router = await addNode(world.store, { name: 'router', wireguard_ip: '10.44.0.8' })
    const cluster = await addCluster(world.store, { state, tld }, [world.node, router])
    await addRole(world.store, { node_id: router.id, role: 'router' })
    const { data } = await createFor(world, id)
    assert.deepEqual(
      [data.node_id, data.cluster_id],
      state === 'active' ? [null, cluster.id] : [world.node.id, null],
      `${state} ${tld ?? ''}`,
    )
  }
})

test('a pool that has no directory any more does not stop the removal of its Route [RTX-064]', async () => {
  await using world = await startWorld()
  const { id } = await shop(world)
  const { data } = await createFor(world, id, ADMIN)
  world.hasNoDirectories = true
  await destroy(world, data.id)
  assert.equal(await findRoute(world.store.db, data.id), undefined)
})
