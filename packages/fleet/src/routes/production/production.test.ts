import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addInstance, addNode, fakeCall } from '@fleet/testing'
import { leafFile } from '#/certificates/api.ts'
import { closeRelease, openRelease } from '#/routes/production/access.ts'
import { makeProductionSource } from '#/routes/production/services.ts'
import { addResidues, appRoutes, findByDomain } from '#/routes/queries.ts'
import { appSite, handlerOf, makePoolSource, makeServedSource, sitedOn } from '#/routes/served.ts'
import { addProduction, deployed } from '#/routes/production/world.test.ts'
import { addApp, createFor, destroy, destroyInstance, startWorld } from '#/routes/world.test.ts'

test('a production Instance is served from what is selected, by the PHP of its Unix user [RTX-085, RTX-086, RTX-124]', async () => {
  await using world = await startWorld()
  const instance = await addProduction(world, deployed)
  await createFor(world, instance.id, { domain: 'shop.example' })
  const [served] = await sitedOn(world.store, world.node.id)
  assert.ok(served)
  assert.deepEqual(handlerOf(served), {
    kind: 'files',
    root: '/home/shop-live/current/public',
    php: '/run/php/shop-live.sock',
    isSwitched: true,
    cachesBuilds: true,
  })
  const sites = appSite(world.node, served, { isBehindRouter: false })
  assert.deepEqual(
    sites.map(({ source }) => source),
    ['app-prod'],
  )
  assert.deepEqual([...world.machine.opened], [['/home/shop-live/releases/20261123-1', ['public']]])
  assert.deepEqual(world.done.slice(0, 2), [
    'access /home/shop-live/releases/20261123-1',
    `service of ${instance.id}`,
  ])
  // Nothing of it is a pool or a checkout of development.
  assert.deepEqual(await makePoolSource(world).poolsOn(world.node), [])
  assert.deepEqual(await makeServedSource(world).servedOn(world.node), [])
})

test('before the first deployment nothing is opened, and the service is there all the same', async () => {
  await using world = await startWorld()
  const instance = await addProduction(world)
  await createFor(world, instance.id, { domain: 'shop.example' })
  assert.deepEqual([...world.machine.opened], [])
  const [service] = await makeProductionSource(world).servicesOn(world.node)
  assert.deepEqual([service?.isDeployed, service?.version, service?.user], [false, '8.2', 'shop-live'])
})

test('a further web root needs a release, a directory of its own and a place outside the web root of the Instance; it has a pool of its own [RTE-080, RTE-081, RTE-152, RTE-153, RTE-155]', async () => {
  await using world = await startWorld()
  const instance = await addProduction(world)
  const ask = (web_root: string, domain = 'site.example') =>
    createFor(world, instance.id, { domain, web_root })
  await assert.rejects(ask('apps/site/public'), { code: 'route.web_root_release_missing', status: 409 })
  assert.equal(await findByDomain(world.store.db, 'site.example'), undefined)
  await world.store.db.updateTable('instances').set(deployed).where('id', '=', instance.id).execute()
  for (const unsafe of ['apps/site', 'public/docs', 'public'])
    await assert.rejects(ask(unsafe), { code: 'route.web_root_unsafe' })
  const { data } = await ask('apps/site/public')
  assert.match([...world.machine.sites.values()].join(), /\/home\/shop-live\/current\/apps\/site\/public/)
  const services = async () => (await makeProductionSource(world).servicesOn(world.node))[0]?.otherDirectories
  assert.deepEqual(await services(), ['apps/site'])
  await destroy(world, data.id)
  assert.deepEqual(await services(), [])
})

test('the file of a further directory is kept in the home under the domain of its oldest Route [RTE-144, RTE-154]', async () => {
  await using world = await startWorld()
  const instance = await addProduction(world, deployed)
  const written = () => world.done.filter((line) => line.startsWith('url of '))
  const create = (domain: string, web_root?: string) =>
    createFor(world, instance.id, { domain, ...(web_root && { web_root }) })
  await create('shop.example')
  assert.deepEqual(written(), [])
  const { data: first } = await create('site.example', 'apps/site/public')
  await create('docs.example', 'apps/site/public')
  const kept = (domain: string): string => `url of apps/site is https://${domain} in /home/shop-live`
  assert.deepEqual(written(), [kept('site.example'), kept('site.example')])
  await destroy(world, first.id)
  assert.equal(written().at(-1), kept('docs.example'))
})

test('of the default directory nothing but the web root of the Instance is served [RTE-082]', async () => {
  await using world = await startWorld()
  const profile = {
    application_directory: 'apps/site',
    framework: 'laravel',
    php: true,
    php_version: '8.2',
  } as const
  const instance = await addProduction(world, { ...deployed, root: 'apps/site', profile })
  // Both are in the directory `apps/site`, which the first pool of the Unix user runs.
  for (const web_root of ['apps/site/public', 'apps/site/docs'])
    await assert.rejects(createFor(world, instance.id, { domain: 'site.example', web_root }), {
      code: 'route.web_root_unsafe',
      details: { instance_id: instance.id, web_root },
    })
  assert.equal(await findByDomain(world.store.db, 'site.example'), undefined)
  assert.deepEqual([...world.machine.sites], [])
})

test('a release is opened with every web root that Routes serve, and one of an Instance without a Route not at all', async () => {
  await using world = await startWorld()
  const instance = await addProduction(world, deployed)
  const open = (release: string) => {
    const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
    return openRelease(world.deps, session, { id: instance.id, release })
  }
  await open('next')
  assert.deepEqual([...world.machine.opened], [])
  await createFor(world, instance.id, { domain: 'shop.example' })
  await createFor(world, instance.id, { domain: 'site.example', web_root: 'apps/site/public' })
  await open('next')
  assert.deepEqual(world.machine.opened.get('/home/shop-live/releases/next'), ['apps/site/public', 'public'])
})

test('the removal of a Route of a production Instance withdraws its site and its own certificate, and keeps the service and the certificate of the Instance [RTX-065]', async () => {
  await using world = await startWorld()
  const { id } = await addProduction(world, deployed)
  await createFor(world, id, { domain: 'shop.example' })
  const { data } = await createFor(world, id, { web_root: 'apps/site/public' })
  const leaves = (): readonly string[] => [...world.machine.leaves.keys()].toSorted()
  assert.deepEqual(leaves(), [`app-instance-${id}`, `route-${data.id}`])
  world.done.length = 0
  await destroy(world, data.id)
  assert.deepEqual([...world.machine.sites.keys()], ['shop.example'])
  assert.deepEqual(leaves(), [`app-instance-${id}`])
  assert.ok(world.done.includes(`service of ${id}`) && !world.done.includes('pools'))
  const [service] = await makeProductionSource(world).servicesOn(world.node)
  assert.deepEqual([service?.user, service?.otherDirectories], ['shop-live', [service?.defaultDirectory]])
})

test('directories that are gone stop neither the removal of a Route of production nor that of its Instance [RTX-064]', async () => {
  await using world = await startWorld()
  const { id } = await addProduction(world, deployed)
  await createFor(world, id, { domain: 'shop.example' })
  const { data } = await createFor(world, id, { web_root: 'apps/site/public' })
  world.hasNoDirectories = true
  await destroy(world, data.id)
  assert.deepEqual([...world.machine.sites.keys()], ['shop.example'])
  await destroyInstance(world, id)
  assert.deepEqual(await appRoutes(world.store.db), [])
})

test('the last Route of a release closes it', async () => {
  await using world = await startWorld()
  const { id } = await addProduction(world, deployed)
  const { data } = await createFor(world, id, { web_root: 'apps/site/public' })
  assert.deepEqual([...world.machine.opened.values()], [['apps/site/public']])
  await destroy(world, data.id)
  assert.deepEqual([...world.machine.opened.values()], [[]])
})

for (const [phase, isRead] of [
  [null, true],
  ['reserved', true],
  ['joining', true],
  ['joined', true],
  ['leaving', false],
] as const)
  test(`what a pool serves of an Instance is read ${isRead ? 'as' : 'no more, but its PHP still runs, as'} ${phase === null ? 'what is in no pool' : `it is ${phase}`}, whatever makes the release readable`, async () => {
    await using world = await startWorld()
    const { db } = world.store
    const instance = await addProduction(world, deployed)
    const { data } = await createFor(world, instance.id, {
      domain: 'shop.example',
      web_root: 'apps/site/public',
    })
    await db.updateTable('route_targets').set({ phase }).where('route_id', '=', data.id).execute()
    const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
    const [folder, release] = ['/home/shop-live/releases', deployed.selected_release]
    const readBy = async (open: () => Promise<unknown>): Promise<unknown> => {
      world.machine.opened.clear()
      world.machine.opened.set(`${folder}/${release}`, ['before'])
      await open()
      return world.machine.opened.get(`${folder}/${release}`)
    }
    const residue = {
      route_id: 99,
      node_id: world.node.id,
      domain: 'gone.example',
      retained_steps: ['caddy', 'certificate'],
      source_path: `${folder}/${release}`,
      source_user: 'shop-live',
      created_at: '2026-01-02T03:04:05.000Z',
    }
    const ways = [
      () => openRelease(world.deps, session, { id: instance.id, release }),
      () => closeRelease(world.deps, session, instance),
      async () => {
        await addResidues(db, [residue])
        await world.routes.residue.converge(session, { force: false })
      },
    ]
    for (const way of ways)
      assert.deepEqual(await readBy(way), isRead ? ['apps/site/public'] : [], way.toString())
    const [service] = await makeProductionSource(world).servicesOn(world.node)
    assert.deepEqual(service?.otherDirectories, ['apps/site'])
  })

test('of an Instance without a release nothing is closed: it has no folder of releases yet [SRC-001]', async () => {
  await using world = await startWorld()
  const instance = await addProduction(world)
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  await closeRelease(world.deps, session, instance)
  assert.deepEqual(world.done, [])
  await closeRelease(world.deps, session, { ...instance, ...deployed })
  assert.deepEqual(world.done, ['access /home/shop-live/releases'])
})

test('an Instance of production that is removed keeps its releases, and the web server reads none of them any more [INS-118, SRC-001]', async () => {
  await using world = await startWorld()
  const { id } = await addProduction(world, deployed)
  await createFor(world, id, { domain: 'shop.example' })
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  await openRelease(world.deps, session, { id, release: '20261122-9' })
  assert.deepEqual([...world.machine.opened.values()], [['public'], ['public']])
  await destroyInstance(world, id, { force: true })
  assert.deepEqual(
    [...world.machine.opened],
    [
      ['/home/shop-live/releases/20261123-1', []],
      ['/home/shop-live/releases/20261122-9', []],
    ],
  )
})

test('the preview of a clone is private, explicit and below the domain of the Node itself [INS-103]', async () => {
  await using world = await startWorld()
  const { planPreview } = world.routes.forInstances
  const app = await addApp(world)
  const project = await world.deps.instances.find(
    (await addInstance(world.store, { project_id: app.id, node_id: world.node.id })).id,
  )
  assert.ok(project)
  const plan = (type = 'laravel-app' as const, node = world.node) =>
    planPreview(
      { project: { ...project.project, type }, node },
      { previewName: 'next.shop', effectiveRoot: 'public' },
    )
  assert.deepEqual(await plan(), {
    clusterId: null,
    domain: 'next.shop.test',
    provenance: 'explicit',
    generationBasisNodeId: null,
  })
  const bare = await addNode(world.store, { name: 'web-2', wireguard_ip: '10.44.0.8' })
  const record = await world.deps.nodes.find(bare.id)
  assert.ok(record)
  // That of a Cluster would not help (INS-103).
  await assert.rejects(plan('laravel-app', record), {
    code: 'route.tld_required',
    message: 'The preview domain cannot be generated: the Node has no top-level domain of its own.',
  })
  await createFor(world, project.id, { domain: 'next.shop.test' })
  await assert.rejects(plan(), { code: 'route.domain_conflict' })
  assert.equal(
    await planPreview(
      { project: { ...project.project, type: 'node-package' }, node: world.node },
      { previewName: 'next', effectiveRoot: '.' },
    ),
    undefined,
  )
})

test('a production Route of one Node stays private, and that Node ends its TLS with a certificate of the fleet [RTX-060]', async () => {
  await using world = await startWorld()
  const instance = await addProduction(world, deployed)
  const { data } = await createFor(world, instance.id, { domain: 'shop.example', publication: 'public' })
  const [served] = await sitedOn(world.store, world.node.id)
  assert.ok(served)
  const [site, ...others] = appSite(world.node, served, { isBehindRouter: false })
  assert.deepEqual(others, [])
  assert.deepEqual(
    [site?.tls, site?.listener],
    [
      { kind: 'leaf', file: leafFile(`app-instance-${instance.id}`) },
      { kind: 'tcp', addresses: [world.node.wireguard_ip] },
    ],
  )
  assert.deepEqual([data.replacement_step, world.machine.isOpen], [null, undefined])
  assert.deepEqual(
    world.done.filter((one) => one.startsWith('ports') || one.startsWith('path')),
    [],
  )
})
