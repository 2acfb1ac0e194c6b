import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import { addCluster, addInstance, fakeCall } from '@fleet/testing'
import { holding, lockOf } from '#/locks/api.ts'
import { operationOf } from '#/routes/input.test.ts'
import { appRoutes, findRoute, updateRoute } from '#/routes/queries.ts'
import { addProduction } from '#/routes/production/world.test.ts'
import {
  admin,
  ADMIN,
  BLOG,
  CHECKOUT,
  CODE,
  failing,
  machineOf,
  monorepo,
  production,
  RELEASE,
  servicesOf,
  storedOf,
  updateInstance,
} from '#/routes/web-root/world.test.ts'
import { addApp, create, createFor, createInstance, startWorld, update } from '#/routes/world.test.ts'

test('another web root is prepared beside the present one, takes its place in one build, and the present one goes; the identical request changes nothing [RTE-013, RTE-068, EV-050]', async () => {
  await using world = await startWorld()
  const { instance, route } = await admin(world)
  const [pool] = [...world.machine.pools].filter((name) => name.includes(`${instance}-`))
  const call = fakeCall()
  const { data } = await update(world, route, { web_root: BLOG }, call)
  assert.deepEqual(
    [data.id, data.web_root, data.domain, data.status, data.failed_step],
    [route, BLOG, 'admin.example', 'active', null],
  )
  assert.equal('web_root_change' in data, false)
  const [next] = [...world.machine.pools].filter((name) => name.includes(`${instance}-`))
  assert.notEqual(next, pool)
  assert.deepEqual(world.done, [
    'access',
    'php of apps/blog',
    `pool ${next}`,
    'sites shop.test admin.example',
    'url of apps/blog is https://admin.example',
    'pools',
    'access',
  ])
  assert.deepEqual(
    call.steps.filter((line) => !line.endsWith('started')),
    [
      'reserve done',
      'source-access done',
      'php done',
      'certificate skipped',
      'caddy done',
      'application-url done',
      'leave done',
      'old-php done',
      'old-source-access done',
      'old-certificate skipped',
      'settle done',
    ],
  )
  assert.match(world.builds.join(), new RegExp(`admin.example ${CHECKOUT}/${BLOG} /run/php/${next}.sock`))
  assert.deepEqual(world.machine.opened.get(CHECKOUT), [BLOG, 'public'])
  assert.deepEqual(call.events, [{ type: 'route.updated', data }])
  assert.deepEqual([call.notes.subject, call.notes.target], [`route:${route}`, world.node.id])
  assert.deepEqual(await storedOf(world, route), {
    root: BLOG,
    change: null,
    php: '8.2',
    failure: ['active', null, null],
  })
  world.done.length = 0
  const again = fakeCall()
  assert.deepEqual((await update(world, route, { web_root: BLOG }, again)).data, data)
  assert.deepEqual([world.done, again.events], [[], []])
})

test('null serves the web root of the Instance with its certificate, and a directory of its own takes it away again [RTE-013, RTE-068]', async () => {
  await using world = await startWorld()
  const { instance, route } = await monorepo(world)
  const own = async () => (await world.routes.forInstances.own([instance])).get(instance)?.id
  assert.equal(await own(), undefined)
  const { data } = await update(world, route, { web_root: null })
  assert.deepEqual([data.web_root, await own()], [null, route])
  const leaf = `app-instance-${instance}`
  assert.deepEqual([...world.machine.leaves], [[leaf, 'admin.example']])
  assert.match(
    world.machine.sites.get('admin.example') ?? '',
    new RegExp(`^${CHECKOUT}/web /run/php/orbit-${leaf}.sock$`),
  )
  assert.deepEqual(world.machine.opened.get(CHECKOUT), ['web'])
  assert.equal(world.machine.urls.get('web'), 'https://admin.example')
  await update(world, route, { web_root: BLOG })
  assert.deepEqual([...world.machine.leaves], [[`route-${route}`, 'admin.example']])
  assert.deepEqual([await own(), world.machine.opened.get(CHECKOUT)], [undefined, [BLOG]])
  assert.equal(world.machine.pools.size, 1)
})

test('the directory that a Route leaves is called after the next oldest one that serves it, and its pool stays [RTE-143, RTE-144]', async () => {
  await using world = await startWorld()
  const { instance, route } = await admin(world)
  await createFor(world, instance, { domain: 'second.example', web_root: ADMIN })
  const pools = world.machine.pools.size
  assert.equal(world.machine.urls.get('apps/admin'), 'https://admin.example')
  await update(world, route, { web_root: BLOG })
  assert.equal(world.machine.urls.get('apps/admin'), 'https://second.example')
  assert.equal(world.machine.pools.size, pools + 1)
})

test('in production the release is opened and its pool runs before the site changes; a web root that it lacks changes nothing [RTE-013, RTE-068, RTE-083]', async () => {
  await using world = await startWorld()
  const { instance, route } = await production(world)
  world.broken.set('access', 'app-prod.web_root_invalid')
  world.worksAfter = { what: 'access', times: 1, seen: () => undefined }
  await assert.rejects(update(world, route, { web_root: BLOG }), { code: 'app-prod.web_root_invalid' })
  assert.equal((await storedOf(world, route))?.root, ADMIN)
  assert.deepEqual(
    [world.machine.opened.get(RELEASE), await servicesOf(world)],
    [
      [ADMIN, 'public'],
      ['', 'apps/admin'],
    ],
  )
  world.done.length = 0
  await update(world, route, { web_root: BLOG })
  assert.deepEqual(world.done, [
    `access ${RELEASE}`,
    `service of ${instance}`,
    'sites shop.example admin.example',
    'url of apps/blog is https://admin.example in /home/shop-live',
    `service of ${instance}`,
    `access ${RELEASE}`,
  ])
  assert.match(
    world.machine.sites.get('admin.example') ?? '',
    /^\/home\/shop-live\/current\/apps\/blog\/public /,
  )
  assert.deepEqual(
    [world.machine.opened.get(RELEASE), await servicesOf(world)],
    [
      [BLOG, 'public'],
      ['', 'apps/blog'],
    ],
  )
})

test('until the site is built the release and the PHP service of production have both web roots', async () => {
  await using world = await startWorld()
  const { route } = await production(world)
  failing(world, 'site')
  await assert.rejects(update(world, route, { web_root: BLOG }), { code: CODE })
  assert.deepEqual(world.machine.opened.get(RELEASE), [ADMIN, BLOG, 'public'])
  assert.deepEqual(await servicesOf(world), ['', 'apps/admin', 'apps/blog'])
})

test('each refusal comes before any change, in this order [RTE-011, RTE-069, RTE-080, RTE-081, RTE-082, RTE-134, RTE-138, RTE-139, RTX-069]', async () => {
  await using world = await startWorld()
  const { db } = world.store
  const { instance, route } = await admin(world)
  const own = (await world.routes.forInstances.own([instance])).get(instance)?.id ?? 0
  const proxy = await create(world)
  const live = await addProduction(world, {}, { slug: 'live', type: 'monorepo' })
  const liveOwn = await createFor(world, live.id, { domain: 'live.example' })
  await updateInstance(world, live.id, { selected_release: 'one' })
  const liveSite = await createFor(world, live.id, { domain: 'site.example', web_root: ADMIN })
  const symfony = await addApp(world, { slug: 'symfony', type: 'symfony-app' })
  const second = await createInstance(world, { project_id: symfony.id })
  const lib = await addApp(world, { slug: 'lib', type: 'node-package', root: '.' })
  const packaged = await createInstance(world, { project_id: lib.id })
  const docs = await createFor(world, packaged.data.id, { domain: 'docs.example', web_root: 'docs' })
  const pending = await createFor(world, instance, { domain: 'pending.example', web_root: ADMIN })
  await updateRoute(db, pending.data.id, { status: 'failed' })
  world.done.length = 0
  const before = await appRoutes(db)
  const refuse = async (id: number, given: Parameters<typeof update>[2], code: string) =>
    assert.rejects(update(world, id, given), { code }, JSON.stringify(given))
  await refuse(proxy.data.id, { web_root: '../x', publication: 'public' }, 'route.web_root_update_separate')
  await refuse(own, { web_root: null, domain: 'a.example' }, 'route.web_root_update_separate')
  for (const web_root of ['../x', '/x', './x', 'a//b', 'a/../b', 'a/', '.', '.git', 'a\\b', 'a\nb'])
    await assert.rejects(
      update(world, proxy.data.id, { web_root }),
      (error: { code: string; details: object }) => {
        assert.equal(error.code, 'validation.failed', web_root)
        return JSON.stringify(error.details).includes('"web_root"')
      },
    )
  assert.equal(
    operationOf('route:update').input.safeParse({ route, web_root: 'a'.repeat(256) }).success,
    false,
  )
  await refuse(proxy.data.id, { web_root: BLOG }, 'route.kind_unsupported')
  await refuse(pending.data.id, { web_root: BLOG }, 'route.reconciliation_required')
  for (const id of [own, second.data.route?.id ?? 0, liveOwn.data.id])
    await refuse(id, { web_root: 'apps/site' }, 'route.web_root_conflict')
  await refuse(liveSite.data.id, { web_root: 'apps/site' }, 'route.web_root_unsafe')
  await refuse(liveSite.data.id, { web_root: 'public/docs' }, 'route.web_root_unsafe')
  await refuse(liveSite.data.id, { web_root: null }, 'route.target_conflict')
  await refuse(route, { web_root: null }, 'route.target_conflict')
  await assert.rejects(update(world, route, { web_root: null }), ({ details }: { details: object }) => {
    assert.deepEqual(Object.entries(details)[0], ['requested_route_id', route])
    return true
  })
  await refuse(docs.data.id, { web_root: null }, 'route.target_web_root_unsupported')
  await refuse(999, { web_root: null }, 'route.not_found')
  await updateInstance(world, live.id, { selected_release: null })
  await refuse(liveOwn.data.id, { web_root: BLOG }, 'route.web_root_conflict')
  await refuse(liveSite.data.id, { web_root: 'apps/site' }, 'route.web_root_release_missing')
  await updateInstance(world, instance, { status: 'source_resolved' })
  await refuse(route, { web_root: BLOG }, 'route.target_inactive')
  await updateInstance(world, instance, { status: 'active' })
  await updateRoute(db, pending.data.id, { status: 'pending', replaces_route_id: route })
  await updateRoute(db, route, { replaced_by_route_id: pending.data.id })
  await refuse(route, { web_root: BLOG }, 'route.domain_change_conflict')
  await updateRoute(db, route, { replaced_by_route_id: null })
  await updateRoute(db, pending.data.id, { status: 'failed', replaces_route_id: null })
  await addCluster(world.store, { state: 'active' }, [world.node])
  await refuse(route, { web_root: BLOG }, 'route.router_required')
  assert.deepEqual([world.done, await appRoutes(db)], [[], before])
})

test('a pool of targets keeps the web root of its Instances', async () => {
  await using world = await startWorld()
  const { instance, route } = await monorepo(world, null)
  const first = await findRoute(world.store.db, route)
  const other = await addInstance(world.store, {
    project_id: first?.project_id ?? 0,
    node_id: world.node.id,
    name: 'other',
    status: 'active',
  })
  await world.store.db
    .insertInto('route_targets')
    .values({ route_id: route, instance_id: other.id, position: 2 })
    .execute()
  assert.notEqual(instance, other.id)
  await assert.rejects(update(world, route, { web_root: BLOG }), { code: 'route.web_root_unsupported' })
  assert.deepEqual(world.done, [])
})

for (const what of ['access', 'php', 'pool', 'site'] as const)
  test(`a failure of ${what} before the commit leaves the Route and its Node as they were, and the same request goes through`, async () => {
    await using world = await startWorld()
    const { route } = await admin(world)
    const before = [machineOf(world), await storedOf(world, route)]
    failing(world, what, 1)
    const call = fakeCall()
    await assert.rejects(update(world, route, { web_root: BLOG }, call), { code: CODE })
    assert.deepEqual([machineOf(world), await storedOf(world, route)], before)
    assert.deepEqual(call.events, [])
    assert.equal((await update(world, route, { web_root: BLOG })).data.web_root, BLOG)
  })

test('a certificate that cannot be issued leaves the Route as it was', async () => {
  await using world = await startWorld()
  const { route } = await monorepo(world)
  const before = [machineOf(world), await storedOf(world, route)]
  failing(world, 'leaf', 1)
  await assert.rejects(update(world, route, { web_root: null }), { code: CODE })
  assert.deepEqual([machineOf(world), await storedOf(world, route)], before)
})

test('what could not be undone stays recorded with its step; the same request begins again, and the present web root gives it up', async () => {
  for (const wanted of [BLOG, ADMIN]) {
    await using world = await startWorld()
    const { route } = await admin(world)
    const before = machineOf(world)
    failing(world, 'site')
    await assert.rejects(update(world, route, { web_root: BLOG }), { code: CODE })
    assert.deepEqual(await storedOf(world, route), {
      root: ADMIN,
      change: { phase: 'wanted', web_root: BLOG, php_version: '8.2' },
      php: '8.2',
      failure: ['active', 'caddy', CODE],
    })
    world.broken.clear()
    const { data } = await update(world, route, { web_root: wanted })
    assert.deepEqual([data.web_root, data.failed_step, data.error_code], [wanted, null, null])
    assert.equal((await storedOf(world, route))?.change, null)
    if (wanted === ADMIN) assert.deepEqual(machineOf(world), before)
    else assert.deepEqual(world.machine.opened.get(CHECKOUT), [BLOG, 'public'])
  }
})

test('after the commit the Route has its web root whatever fails: subscribers hear of it, and any request finishes it first', async () => {
  for (const wanted of [BLOG, ADMIN, 'apps/third/public']) {
    await using world = await startWorld()
    const { route } = await admin(world)
    failing(world, 'url')
    const call = fakeCall()
    await assert.rejects(update(world, route, { web_root: BLOG }, call), { code: CODE })
    const left = await findRoute(world.store.db, route)
    assert.deepEqual(
      [left?.web_root, left?.web_root_change, left?.failed_step, left?.error_code],
      [BLOG, { phase: 'left', web_root: ADMIN, php_version: '8.2' }, 'application-url', CODE],
    )
    assert.deepEqual(
      call.events.map(({ type }) => type),
      ['route.updated'],
    )
    assert.deepEqual(world.machine.opened.get(CHECKOUT), [ADMIN, BLOG, 'public'])
    const again = fakeCall()
    await assert.rejects(update(world, route, { web_root: wanted }, again), { code: CODE })
    assert.equal((await storedOf(world, route))?.root, BLOG)
    world.broken.clear()
    const last = fakeCall()
    const { data } = await update(world, route, { web_root: wanted }, last)
    assert.deepEqual([data.web_root, data.failed_step], [wanted, null])
    assert.deepEqual(last.events, [{ type: 'route.updated', data }])
    assert.deepEqual(world.machine.opened.get(CHECKOUT), [wanted, 'public'])
    assert.equal(world.machine.pools.size, 2)
  }
})

test('a change of the web root and a further Route of production wait while the Instance is deployed or rolled back [RTE-157]', async () => {
  await using world = await startWorld()
  const { instance, route } = await production(world)
  const requests = [
    () => update(world, route, { web_root: BLOG }),
    () => createFor(world, instance, { domain: 'third.example', web_root: 'apps/third/public' }),
  ]
  for (const request of requests) {
    world.done.length = 0
    const begun: Array<ReturnType<typeof request>> = []
    // The lock of a deployment and of a rollback.
    await holding(
      world.store,
      fakeCall(),
      lockOf('instance', instance, { busy: 'deployment.operation_busy' }),
      async () => {
        begun.push(request())
        for (let turn = 0; turn < 50; turn += 1) {
          await world.store.locks.holderOf('nothing')
          await nextTurn()
        }
        assert.deepEqual(world.done, [])
        await updateInstance(world, instance, { selected_release: 'next' })
      },
    )
    await Promise.all(begun)
    assert.ok(world.done.includes('access /home/shop-live/releases/next'), world.done.join('\n'))
  }
})
