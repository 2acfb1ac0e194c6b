import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstanceData } from '@fleet/contract'
import { addCluster, fakeCall } from '@fleet/testing'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { SeveralRecords } from '#/handler.ts'
import { appRoutes } from '#/routes/queries.ts'
import {
  addApp,
  createInstance,
  destroy,
  destroyInstance,
  startWorld,
  type World,
} from '#/routes/world.test.ts'

const LARAVEL = {
  artisan: 'file',
  console: 'absent',
  composer: 'file',
  manifest: '{"require":{"laravel/framework":"^12"}}',
}

/** Ends with the machine and the records as they were before anything was created. */
async function assertNothingLeft(world: World): Promise<void> {
  assert.deepEqual(await world.store.db.selectFrom('instances').selectAll().execute(), [])
  assert.deepEqual(await appRoutes(world.store.db), [])
  const { leaves, sites, pools, opened } = world.machine
  const names = [...world.names]
  assert.deepEqual([[...leaves.keys()], [...sites.keys()], [...pools], names], [[], [], [], []])
  assert.ok([...opened.values()].every((roots) => roots.length === 0 || world.checkouts.at('x').length === 0))
}

/** Whoever keeps a list of Routes hears of the one that went with its Instance. */
const goneWith = ({ id, name, route }: InstanceData) => [
  { type: 'route.deleted', data: { id: route?.id, domain: 'shop.test' } },
  { type: 'instance.deleted', data: { id, name } },
]

const startedSteps = (call: ReturnType<typeof fakeCall>): readonly string[] =>
  call.steps.filter((step) => step.endsWith(' started')).map((step) => step.replace(' started', ''))

test('an Instance reserves its domain, is served in order, and is active last [RTE-005, RTE-028, RTE-035, RTX-021, RTX-085, RTX-098, RTX-108, INS-010, INS-020, INS-049, EV-079]', async () => {
  await using world = await startWorld()
  world.checkouts.evidence = LARAVEL
  const project = await addApp(world)
  const call = fakeCall()
  const { data, created } = await createInstance(world, { project_id: project.id }, call)
  assert.equal(created, true)
  assert.deepEqual([data.status, data.domain, data.url], ['active', 'shop.test', 'https://shop.test'])
  assert.deepEqual(data.route, {
    id: data.route?.id,
    kind: 'app',
    project_id: project.id,
    node_id: world.node.id,
    cluster_id: null,
    generation_basis_node_id: world.node.id,
    domain: 'shop.test',
    web_root: null,
    provenance: 'generated',
    publication: 'private',
    status: 'active',
    failed_step: null,
    error_code: null,
    replaces_route_id: null,
    replaced_by_route_id: null,
    replacement_step: null,
    target_set_step: null,
    target: data.route?.target,
    targets: [{ id: data.route?.target?.id, instance_id: data.id, position: 1 }],
    process_id: null,
    upstream: null,
    analytics_instance_id: null,
  })
  const pool = `orbit-app-instance-${data.id}`
  assert.deepEqual(world.done, [
    'access',
    'php of .',
    `pool ${pool}`,
    `leaf app-instance-${data.id}`,
    'sites shop.test',
    'names shop.test',
  ])
  assert.deepEqual(startedSteps(call), [
    'prepare',
    'source',
    'profile',
    'route',
    'source-access',
    'php',
    'certificate',
    'caddy',
    'dns',
    'activate',
  ])
  const root = '/home/fleet/apps/shop/default/public'
  assert.deepEqual([...world.machine.sites], [['shop.test', `${root} /run/php/${pool}.sock`]])
  assert.deepEqual([...world.machine.opened], [['/home/fleet/apps/shop/default', ['public']]])
  assert.deepEqual([...world.machine.leaves], [[`app-instance-${data.id}`, 'shop.test']])
  assert.deepEqual(call.events, [{ type: 'instance.created', data }])
})

test('a generated domain has the name before the Project, whatever the branch; an explicit one is stored normalized [RTE-030, RTE-036, RTE-037, RTX-008]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const domainOf = async (given: object): Promise<string | null> =>
    (await createInstance(world, { project_id: project.id, ...given })).data.domain
  assert.equal(await domainOf({ name: 'feature', branch: 'other' }), 'feature.shop.test')
  assert.equal(await domainOf({ name: 'own', domain: 'Shop.Example.' }), 'shop.example')
  const routes = await appRoutes(world.store.db)
  assert.deepEqual(
    routes.map(({ provenance, generation_basis_node_id: basis }) => [provenance, basis]),
    [
      ['generated', world.node.id],
      ['explicit', null],
    ],
  )
})

test('the identical request answers the Instance and does nothing; with another domain it is another one [INS-050, INS-051]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const request = { project_id: project.id, domain: 'a.example' }
  const first = await createInstance(world, request)
  world.done.length = 0
  assert.deepEqual(await createInstance(world, { ...request, domain: 'A.example.' }), {
    data: first.data,
    created: false,
  })
  for (const domain of [undefined, 'b.example'])
    await assert.rejects(
      createInstance(world, { project_id: project.id, ...(domain === undefined ? {} : { domain }) }),
      { code: 'instance.placement_conflict' },
    )
  assert.deepEqual(world.done, [])
})

test('each refusal of a domain comes before any change [INS-061, RTE-032, RTE-072, RTE-073, RTE-074, PRJ-019]', async () => {
  await using world = await startWorld()
  const { db } = world.store
  const [app, odd, packaged] = [
    await addApp(world),
    await addApp(world, { slug: 'odd_shop' }),
    await addApp(world, { slug: 'lib', type: 'laravel-package', root: '.' }),
  ]
  const taken = await createInstance(world, { project_id: app.id })
  world.done.length = 0
  for (const [given, code] of [
    [{ project_id: odd.id }, 'route.domain_invalid'],
    [{ project_id: app.id, name: 'x', domain: 'a b' }, 'route.domain_invalid'],
    [{ project_id: app.id, name: 'x', domain: 'SHOP.test' }, 'route.domain_conflict'],
    [{ project_id: app.id, name: 'x', domain: 'gateway.fleet' }, 'route.domain_conflict'],
    [{ project_id: packaged.id, domain: 'lib.test' }, 'route.target_web_root_unsupported'],
  ] as const)
    await assert.rejects(createInstance(world, given), { code }, JSON.stringify(given))
  await db.updateTable('nodes').set({ tld: null }).execute()
  await assert.rejects(createInstance(world, { project_id: app.id, name: 'x' }), {
    code: 'route.tld_required',
  })
  await addCluster(world.store, { state: 'active', tld: 'c.test' }, [world.node])
  await assert.rejects(createInstance(world, { project_id: app.id, name: 'x' }), {
    code: 'route.router_required',
  })
  assert.deepEqual(world.done, [])
  assert.deepEqual(
    (await db.selectFrom('instances').select('id').execute()).map(({ id }) => id),
    [taken.data.id],
  )
  assert.equal((await appRoutes(db)).length, 1)
})

test('a Project that needs no Route gets none, and one with a domain gets it [PRJ-016, PRJ-017]', async () => {
  await using world = await startWorld()
  const project = await addApp(world, { type: 'monorepo', root: 'web' })
  const plain = await createInstance(world, { project_id: project.id })
  assert.deepEqual([plain.data.route, plain.data.domain, world.done], [null, null, []])
  world.php = null
  const served = await createInstance(world, { project_id: project.id, name: 'x', domain: 'x.example' })
  assert.equal(served.data.url, 'https://x.example')
  assert.deepEqual(world.machine.sites.get('x.example'), '/home/fleet/apps/shop/x/web')
  assert.equal(world.machine.pools.size, 0)
})

test('a step that fails takes the attempt back: no name, site, certificate, pool or record of it stays [INS-052, RTX-022]', async () => {
  for (const what of ['php', 'pool', 'access', 'leaf', 'site', 'name'] as const) {
    await using world = await startWorld()
    const project = await addApp(world)
    world.broken.set(what, 'app-dev.source_access_failed')
    const call = fakeCall()
    const creation = createInstance(world, { project_id: project.id }, call)
    if (what === 'php' || what === 'access' || what === 'leaf') {
      await assert.rejects(creation, { code: 'app-dev.source_access_failed' })
      await assertNothingLeft(world)
    } else {
      // What undoes it needs the same: the record says so, and the identical request begins again.
      assert.equal((await refusalOf(creation)).details['cleanup'], 'incomplete')
      const [route] = await appRoutes(world.store.db)
      assert.deepEqual([route?.status, route?.has_name], ['pending', 0])
      world.broken.clear()
      assert.equal((await createInstance(world, { project_id: project.id })).data.status, 'active')
      assert.deepEqual([...world.names], ['shop.test'])
    }
    assert.deepEqual(call.events, [])
  }
})

test('a removed Instance answers that it is unavailable first, and nothing of it stays [INS-113, INS-114, EV-051, RTX-030, RTX-063, RTX-095]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  world.done.length = 0
  world.builds.length = 0
  const call = fakeCall()
  assert.equal((await destroyInstance(world, data.id, {}, call)).data.status, 'completed')
  assert.deepEqual(call.events, goneWith(data))
  assert.deepEqual(world.builds, ['shop.test unavailable', ''])
  assert.deepEqual(world.done, [
    'sites shop.test',
    'names none',
    'sites none',
    'pools',
    `no leaf app-instance-${data.id}`,
  ])
  await assertNothingLeft(world)
})

test('a Route that is gone with its Instance is published at once, whatever becomes of the removal then [EV-051]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  // What waits for the end of the request is left out.
  const call = { ...fakeCall(), event: () => undefined }
  await destroyInstance(world, data.id, {}, call)
  assert.deepEqual(call.events[0], goneWith(data)[0])
})

test('a removal that fails on its Route names the step, and the identical request goes through [RTX-029, RTX-032]', async () => {
  for (const [what, step] of [
    ['site', 'targeted:retire'],
    ['name', 'targeted:dns'],
    ['pool', 'targeted:php'],
    ['leaf gone', 'targeted:certificate'],
  ] as const) {
    await using world = await startWorld()
    const project = await addApp(world)
    const { data } = await createInstance(world, { project_id: project.id })
    world.broken.set(what, 'certificate.publication_failed')
    await assert.rejects(destroyInstance(world, data.id), { code: 'certificate.publication_failed' })
    const [route] = await appRoutes(world.store.db)
    assert.deepEqual([route?.status, route?.failed_step], ['failed', step])
    world.broken.clear()
    await destroyInstance(world, data.id)
    await assertNothingLeft(world)
  }
})

test('an Instance of a silent Node goes with its name; the machine is clean once it converges [RTE-056, RTE-177, RTE-180]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  world.answers = false
  const call = fakeCall()
  await destroyInstance(world, data.id, { force: true, offline: true }, call)
  assert.deepEqual(call.events, goneWith(data))
  assert.deepEqual([[...world.names], [...world.machine.sites.keys()]], [[], ['shop.test']])
  assert.deepEqual(await appRoutes(world.store.db), [])
  world.answers = true
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  assert.notEqual(await world.routes.residue.digest(world.node), undefined)
  assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
  await assertNothingLeft(world)
  assert.equal(await world.routes.residue.digest(world.node), undefined)
})

test('the Route of an Instance is removed with it alone [RTE-028, RTE-094, RTX-061, RTX-069]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  world.done.length = 0
  for (const offline of [false, true])
    await assert.rejects(destroy(world, data.route?.id ?? 0, offline), {
      code: 'route.target_conflict',
      details: {
        requested_route_id: data.route?.id,
        existing_route_id: data.route?.id,
        instance_ids: [data.id],
      },
    })
  assert.deepEqual([world.done, [...world.names]], [[], ['shop.test']])
})

test('a domain finds its Instance for whoever may act on its Node [DEP-035, DEX-010, DEX-012, INS-039, ENV-006]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  const resolve = (domain: string, id = world.node.id) => {
    const caller = { id, name: 'x', address: '10.44.0.7', isGateway: false }
    return world.instances.handlers['instance:resolve']({ call: fakeCall({ caller }), input: { domain } })
  }
  assert.deepEqual((await resolve('Shop.Test.')).data, {
    domain: 'shop.test',
    instance_id: data.id,
    project_id: project.id,
    node_id: world.node.id,
    environment: 'development',
  })
  for (const domain of ['other.test', 'a b', String(data.id)])
    await assert.rejects(resolve(domain), { code: 'dependencies.target_not_found' })
  await assert.rejects(resolve('shop.test', 999), { code: 'dependencies.target_not_found' })
  const setStatus = (status: 'active' | 'removing') =>
    world.store.db.updateTable('instances').set({ status }).where('id', '=', data.id).execute()
  await setStatus('removing')
  await assert.rejects(resolve('shop.test'), {
    code: 'dependencies.instance_unavailable',
    details: { instance_id: data.id, status: 'removing' },
  })
  await setStatus('active')
  const locate = world.instances.locators['{instance}']
  for (const text of ['shop.test', 'SHOP.test.', String(data.id)])
    assert.equal((await locate(text, {}))?.id, data.id)
  assert.equal(await locate('other.test', {}), undefined)
  await world.store.db
    .insertInto('route_targets')
    .values({
      route_id: data.route?.id ?? 0,
      instance_id: (await createInstance(world, { project_id: project.id, name: 'b' })).data.id,
      position: 2,
    })
    .execute()
  const several = await Promise.resolve(locate('shop.test', {})).catch((error: unknown) => error)
  assert.ok(several instanceof SeveralRecords)
  assert.deepEqual(
    [several.error.code, new Set(several.nodeIds)],
    ['env.target_ambiguous', new Set([world.node.id])],
  )
  await assert.rejects(resolve('shop.test'), { code: 'dependencies.target_ambiguous' })
  await assert.rejects(resolve('shop.test', 999), { code: 'dependencies.target_not_found' })
})
