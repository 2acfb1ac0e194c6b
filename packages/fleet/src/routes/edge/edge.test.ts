import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PublicationLack, RouteData, RoutePublication } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { addInstance, addRole, type FakeCall, fakeCall } from '@fleet/testing'
import type { NodeRecord } from '#/nodes/api.ts'
import { closeWhereAnswered } from '#/routes/edge/offline.ts'
import { findRoute, routesWhere } from '#/routes/queries.ts'
import { makeSiteSource } from '#/routes/sites.ts'
import { city, type City, type CityOptions, isOpen, sitesOf } from '#/routes/edge/world.test.ts'
import { createFor, destroy, destroyInstance, startWorld, update } from '#/routes/world.test.ts'

const publish = ({ world, id }: City, publication: RoutePublication = 'public', call = fakeCall()) =>
  update(world, id, { publication }, call)

const stepOf = async ({ world, id }: City) => (await findRoute(world.store.db, id))?.edge_step

/** What subscribers have although the request failed. */
const publications = (call: FakeCall): unknown[] =>
  call.published.map(({ data }) => (data as RouteData).publication) // Only Routes are published here.

const PUBLIC = 'shop.example at 0.0.0.0 10.44.0.9'

test('a public Route is checked, built and opened in this order, and the certificate is not waited for [RTE-002, RTX-031, RTX-053]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  world.done.length = 0
  const call = fakeCall()
  const { data } = await publish(given, 'public', call)
  assert.deepEqual(world.done, [
    'router: path of shop.example to 10.44.0.7',
    'edge: path of shop.example to 10.44.0.8',
    'edge: sites shop.example',
    'edge: ports open',
  ])
  assert.deepEqual(
    call.steps.filter((step) => step.endsWith('done')),
    ['private-paths', 'public-activated', 'public-site', 'public-firewall', 'ingress-firewall'].map(
      (step) => `${step} done`,
    ),
  )
  assert.deepEqual(
    [data.id, data.publication, data.replacement_step],
    [given.id, 'public', 'ingress-firewall'],
  )
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['route.updated'],
  )
  assert.deepEqual(sitesOf(given, given.ingress), [[PUBLIC, 'pool 10.44.0.8']])
  assert.deepEqual(
    [...(world.machines.get(given.ingress.id)?.leaves ?? [])],
    [],
    'no certificate of the fleet',
  )
})

test('public DNS is the operator’s: to open a Route publishes no name, and stores no address of the outside [RTX-055]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  const [names, before] = [[...world.names], await addressesIn(world.store)]
  world.done.length = 0
  await publish(given)
  assert.ok(isOpen(given))
  assert.deepEqual([...world.names], names)
  assert.deepEqual(
    world.done.filter((line) => !/^(router|edge): /.test(line)),
    [],
  )
  const after = await addressesIn(world.store)
  assert.deepEqual([...after].toSorted(), [...before].toSorted())
})

/** Every IPv4 address in any row of any table. */
async function addressesIn({ db }: Store): Promise<ReadonlySet<string>> {
  const names = (await db.introspection.getTables()).map(({ name }) => name as 'routes') // Any table: nobody looks at its rows.
  const rows = await Promise.all(names.map((name) => db.selectFrom(name).selectAll().execute()))
  return new Set(JSON.stringify(rows).match(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g))
}

test('the identical request builds again what a crash may have left, and says nothing new [RTX-023, RTX-053]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  world.machines.get(given.ingress.id)?.sites.clear()
  const call = fakeCall()
  await publish(given, 'public', call)
  assert.deepEqual(sitesOf(given, given.ingress), [[PUBLIC, 'pool 10.44.0.8']])
  assert.deepEqual(call.events, [])
})

test('two that are on the LAN use it [RTX-056]', async () => {
  await using world = await startWorld()
  const given = await city(world, { lan: true })
  await publish(given)
  assert.deepEqual(sitesOf(given, given.ingress), [
    ['shop.example at 0.0.0.0 10.44.0.9 192.168.7.9', 'pool 192.168.7.8'],
  ])
})

test('private again, its site and its ports are gone, in this order, and it may be opened again [FW-029, RTX-052]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  world.done.length = 0
  const { data } = await publish(given, 'private')
  assert.deepEqual(world.done, ['edge: sites none', 'edge: ports closed'])
  assert.deepEqual([data.publication, data.replacement_step], ['private', null])
  assert.deepEqual(sitesOf(given, world.node).length, 1, 'it serves in private')
  await publish(given)
  assert.ok(isOpen(given))
})

test('the ports stay open for another public Route [FW-029]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  const second = await createFor(world, given.instanceId, { web_root: 'admin/public', publication: 'public' })
  assert.deepEqual([second.data.status, second.data.replacement_step], ['active', 'ingress-firewall'])
  await publish(given, 'private')
  assert.ok(isOpen(given))
  assert.deepEqual(
    sitesOf(given, given.ingress).map(([place]) => place?.split(' ')[0]),
    ['admin.example'],
  )
})

const lackOf = async ({ world, id }: City) => {
  const { data } = await world.routes.handlers['route:show']({ call: fakeCall(), input: { route: id } })
  return data.publication_lacks
}

const MISSING: ReadonlyArray<
  readonly [string, CityOptions, PublicationLack, (given: City) => Promise<unknown>]
> = [
  ['no ingress', { ingress: 'none' }, 'ingress', async () => undefined],
  [
    'an ingress that converges for the first time',
    { ingress: 'provisioning' },
    'ingress',
    async () => undefined,
  ],
  ['an ingress that failed', { ingress: 'failed' }, 'ingress', async () => undefined],
  [
    'a target of development',
    {},
    'production_target',
    ({ world }) => world.store.db.updateTable('instances').set({ environment: 'development' }).execute(),
  ],
  [
    'an inactive Cluster',
    {},
    'active_cluster',
    ({ world }) => world.store.db.updateTable('clusters').set({ state: 'inactive' }).execute(),
  ],
  [
    'no active Router',
    {},
    'router',
    ({ world, router }) =>
      world.store.db
        .updateTable('node_roles')
        .set({ status: 'failed' })
        .where('node_id', '=', router.id)
        .execute(),
  ],
  [
    'a Route of one Node',
    {},
    'active_cluster',
    ({ world, id }) =>
      world.store.db
        .updateTable('routes')
        .set({ cluster_id: null, node_id: world.node.id })
        .where('id', '=', id)
        .execute(),
  ],
]

for (const [what, how, lack, breaks] of MISSING)
  test(`${what}: public is stored, nothing is opened and nothing fails, and what is missing is shown [RTX-050, RTX-051]`, async () => {
    await using world = await startWorld()
    const given = await city(world, how)
    await breaks(given)
    world.done.length = 0
    const { data } = await publish(given)
    assert.deepEqual([data.publication, data.status, data.replacement_step], ['public', 'active', null])
    assert.deepEqual([world.done, isOpen(given)], [[], false])
    assert.equal(await lackOf(given), lack)
  })

test('nothing is said to be missing of a private Route and of one that is open, and what stopped its opening is', async () => {
  await using world = await startWorld()
  const given = await city(world)
  assert.equal(await lackOf(given), undefined)
  world.broken.set('path', 'node.unreachable')
  await assert.rejects(publish(given))
  assert.equal(await lackOf(given), 'opening')
  world.broken.clear()
  await publish(given)
  assert.equal(await lackOf(given), undefined)
  const role = world.store.db.updateTable('node_roles').where('role', '=', 'ingress')
  await role.set({ status: 'provisioning' }).execute()
  assert.equal(await lackOf(given), undefined)
  await role.set({ status: 'removing' }).execute()
  assert.equal(await lackOf(given), 'ingress')
})

test('what was opened is closed by the records alone when a condition goes, and open again when it is back [RTX-050, RTX-051]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  const { db } = world.store
  const visible = async () => {
    const session = world.deps.nodes.sessions.overTunnel(fakeCall(), given.ingress)
    await world.deps.webServer.build(session, 'ingress')
    return [
      sitesOf(given, given.ingress).length,
      await world.routes.edge.servesPublicRoutes(given.ingress.id),
    ]
  }
  const role = db.updateTable('node_roles').where('role', '=', 'ingress')
  await db.updateTable('instances').set({ environment: 'development' }).execute()
  assert.deepEqual(await visible(), [0, false])
  await db.updateTable('instances').set({ environment: 'production' }).execute()
  for (const [status, failed_step, expected] of [
    ['provisioning', null, true],
    ['failed', 'converge:packages', true],
    ['failed', 'remove:web-server', false],
    ['removing', null, false],
    ['active', null, true],
  ] as const) {
    await role.set({ status, failed_step }).execute()
    assert.deepEqual(await visible(), [Number(expected), expected], `${status} ${failed_step ?? ''}`)
  }
})

test('Routes that waited are opened when their Cluster gets its ingress [RTX-051]', async () => {
  await using world = await startWorld()
  const given = await city(world, { ingress: 'none' })
  await publish(given)
  await addRole(world.store, { node_id: given.ingress.id, role: 'ingress' })
  await world.routes.edge.publishWaiting(world.store.db, given.clusterId)
  const [work] = await world.store.db
    .selectFrom('work')
    .selectAll()
    .where('kind', '=', 'route:publish-waiting')
    .execute()
  assert.ok(work)
  const kind = world.routes.workKinds.find(({ name }) => name === work.kind)
  await kind?.run(fakeCall(), JSON.parse(work.payload))
  assert.equal(await stepOf(given), 'ingress-firewall')
  assert.ok(isOpen(given))
})

for (const ingress of ['provisioning', 'failed'] as const)
  test(`what is tried again is opened by an active ingress alone, and not by one that is ${ingress} [RTX-050]`, async () => {
    await using world = await startWorld()
    const given = await city(world, { ingress })
    await publish(given)
    const tryAgain = async () => {
      const kind = world.routes.workKinds.find(({ name }) => name === 'route:publish-waiting')
      await kind?.run(fakeCall(), { cluster_id: given.clusterId })
    }
    await tryAgain()
    assert.deepEqual([await stepOf(given), isOpen(given)], [null, false])
    await world.store.db
      .updateTable('node_roles')
      .set({ status: 'active', failed_step: null })
      .where('role', '=', 'ingress')
      .execute()
    await tryAgain()
    assert.deepEqual([await stepOf(given), isOpen(given)], ['ingress-firewall', true])
  })

for (const trouble of ['path', 'site', 'ports'] as const)
  test(`a failure at the ${trouble} is the answer and no failure of the Route, and the identical request finishes [RTX-053, RTX-054]`, async () => {
    await using world = await startWorld()
    const given = await city(world)
    world.broken.set(trouble, 'node.unreachable')
    const call = fakeCall()
    await assert.rejects(publish(given, 'public', call), { code: 'node.unreachable' })
    // The repeat finds the publication stored and has nothing to report of it.
    assert.deepEqual(publications(call), ['public'])
    const again = fakeCall()
    await assert.rejects(publish(given, 'public', again), { code: 'node.unreachable' })
    assert.deepEqual(publications(again), [])
    const route = await findRoute(world.store.db, given.id)
    assert.deepEqual([route?.status, route?.failed_step, route?.error_code], ['active', null, null])
    assert.equal(isOpen(given), false)
    world.broken.clear()
    assert.equal((await publish(given)).data.replacement_step, 'ingress-firewall')
  })

test('a new public Route stays activating until it is open, and its record names the step [RTE-045, RTX-023, RTX-054]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  const second = await addInstance(world.store, {
    project_id: (await findRoute(world.store.db, given.id))?.project_id ?? 0,
    node_id: world.node.id,
    name: 'second',
    status: 'active',
    environment: 'production',
    checkout_path: '/home/fleet/apps/shop/second',
  })
  world.broken.set('ports', 'firewall.apply_failed')
  const wanted = { publication: 'public' } as const
  await assert.rejects(createFor(world, second.id, wanted), { code: 'firewall.apply_failed' })
  const stored = (await routesWhere(world.store.db, { domain: 'admin.example' }))[0]
  assert.deepEqual(
    [stored?.status, stored?.failed_step, stored?.error_code, stored?.edge_step],
    ['activating', 'public-firewall', 'firewall.apply_failed', 'public-activated'],
  )
  world.broken.clear()
  world.machines.get(given.ingress.id)?.sites.clear()
  const { data } = await createFor(world, second.id, wanted)
  assert.deepEqual([data.id, data.status, data.replacement_step], [stored?.id, 'active', 'ingress-firewall'])
  assert.equal(sitesOf(given, given.ingress).length, 1, 'the ingress is built again')
})

test('what could not be closed is private by the record, and the identical request closes it', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  world.broken.set('site', 'node.unreachable')
  const call = fakeCall()
  await assert.rejects(publish(given, 'private', call), { code: 'node.unreachable' })
  assert.deepEqual(publications(call), ['private'])
  assert.equal((await findRoute(world.store.db, given.id))?.publication, 'private')
  world.broken.clear()
  await publish(given, 'private')
  assert.deepEqual([sitesOf(given, given.ingress), isOpen(given), await stepOf(given)], [[], false, null])
})

test('a live Route is closed before it is removed; its ingress is named by what says so [RTX-052, RTX-061]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  const { data } = await createFor(world, given.instanceId, {
    web_root: 'admin/public',
    publication: 'public',
  })
  await assert.rejects(destroy(world, data.id), {
    code: 'route.reconciliation_required',
    message: new RegExp(`fleet route:update ${data.id} --publication private`),
  })
  assert.equal(sitesOf(given, given.ingress).length, 1)
  await update(world, data.id, { publication: 'private' })
  await destroy(world, data.id)
  assert.deepEqual([sitesOf(given, given.ingress), isOpen(given)], [[], false])
})

test('an Instance takes its public Route with it: the ingress first, then Router and Node [RTX-063]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  world.done.length = 0
  await destroyInstance(world, given.instanceId, { force: true })
  const sites = world.done.filter((said) => /sites|ports/.test(said))
  assert.deepEqual(sites, [
    'sites shop.example',
    'edge: sites none',
    'edge: ports closed',
    'router: sites none',
    'sites none',
  ])
  assert.deepEqual(await routesWhere(world.store.db), [])
})

test('a removal with silent Nodes records what the ingress keeps, and the Node clears it when it converges [RTE-057, RTE-177]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  world.answers = false
  const broken = world.broken
  broken.set('site', 'node.unreachable')
  await destroyInstance(world, given.instanceId, { force: true, offline: true })
  const residues = await world.store.db.selectFrom('route_residues').selectAll().orderBy('id').execute()
  assert.deepEqual(
    residues
      .filter(({ node_id }) => node_id === given.ingress.id)
      .map(({ retained_steps }) => retained_steps),
    [['caddy', 'firewall']],
  )
  broken.clear()
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), given.ingress)
  assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
  assert.deepEqual(
    [sitesOf(given, given.ingress), await world.routes.residue.digest(given.ingress)],
    [[], undefined],
  )
})

test('a silent ingress is named by a removal; with offline it is skipped before an answering Node, and the record says what it keeps [RTE-174, RTE-177]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  world.silent.add(given.ingress.id)
  await assert.rejects(destroyInstance(world, given.instanceId, { force: true }), (error) => {
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, 'route.node_unreachable')
    assert.match(error.message, /^The Node edge does not answer.*--offline/)
    const { node, step } = error.details ?? {}
    assert.deepEqual([node, step], [{ id: given.ingress.id, name: 'edge' }, 'public-withdrawn'])
    return true
  })
  await destroyInstance(world, given.instanceId, { force: true, offline: true })
  assert.deepEqual(await routesWhere(world.store.db), [])
  const residues = await world.store.db.selectFrom('route_residues').selectAll().execute()
  assert.deepEqual(
    residues.map(({ node_id, retained_steps }) => [node_id, retained_steps]),
    [[given.ingress.id, ['caddy', 'firewall']]],
  )
  assert.deepEqual([sitesOf(given, given.router), sitesOf(given, world.node)], [[], []])
  world.silent.clear()
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), given.ingress)
  assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
  assert.deepEqual(sitesOf(given, given.ingress), [])
})

test('of a Route whose Node is silent with its ingress the answer names both, with what each keeps [RTE-070, RTE-177]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  await world.store.db
    .updateTable('routes')
    .set({ status: 'failed', failed_step: 'targeted:caddy' })
    .execute()
  world.answers = false
  world.silent.add(given.ingress.id)
  const { data } = await destroy(world, given.id, true)
  assert.deepEqual(data.retained_on_nodes, [
    { node_id: given.router.id, node: 'router', steps: ['caddy', 'certificate'] },
    { node_id: world.node.id, node: world.node.name, steps: ['caddy', 'certificate'] },
    { node_id: given.ingress.id, node: 'edge', steps: ['caddy', 'firewall'] },
  ])
})

test('a removal with offline closes an ingress that answers, as one without it does [RTE-175]', async () => {
  for (const offline of [false, true]) {
    await using world = await startWorld()
    const given = await city(world)
    await publish(given)
    world.done.length = 0
    await destroyInstance(world, given.instanceId, { force: true, offline })
    const closed = world.done.filter((one) => one.startsWith('edge: '))
    assert.deepEqual(closed, ['edge: sites none', 'edge: ports closed'], String(offline))
    assert.deepEqual([sitesOf(given, given.ingress), await routesWhere(world.store.db)], [[], []])
    assert.deepEqual(await world.store.db.selectFrom('route_residues').selectAll().execute(), [])
  }
})

test('an ingress that answers is closed and keeps nothing, where the Router before it is silent [RTE-175, RTE-177]', async () => {
  await using world = await startWorld()
  const given = await city(world, { ingress: 'none' })
  await addRole(world.store, { node_id: world.node.id, role: 'ingress' })
  await publish(given)
  world.silent.add(given.router.id)
  await closeWhereAnswered(world.deps, fakeCall(), given.id)
  assert.equal(world.machines.get(world.node.id)?.isOpen, false)
  assert.equal(await stepOf(given), null, 'no residue is recorded for it')
})

test('an ingress is needed by each Route of its Cluster that is public, open or not [RTE-171]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  const { edge } = world.routes
  assert.deepEqual(await edge.domainsBehind(given.ingress.id), [])
  await world.store.db.updateTable('routes').set({ publication: 'public' }).execute()
  assert.deepEqual(
    [await edge.domainsBehind(given.ingress.id), await edge.domainsBehind(given.router.id)],
    [['shop.example'], []],
  )
})

test('the ingress follows its Router; a silent one stops nobody, and follows when it answers [CLU-026]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await publish(given)
  const { db } = world.store
  const leadTo = async (router: number, earlier: number) => {
    await addRole(world.store, { node_id: router, role: 'router' })
    await db.deleteFrom('node_roles').where('node_id', '=', earlier).where('role', '=', 'router').execute()
    const call = fakeCall()
    await world.routes.forClusters.followRouter(call, given.clusterId)
    return call
  }
  const work = () => db.selectFrom('work').select(['kind', 'payload']).execute()
  await leadTo(world.node.id, given.router.id)
  assert.deepEqual(sitesOf(given, given.ingress), [[PUBLIC, 'pool 10.44.0.7']])
  assert.deepEqual(await work(), [])
  world.silent.add(given.ingress.id)
  world.done.length = 0
  const call = await leadTo(given.router.id, world.node.id)
  assert.deepEqual(world.done, [])
  assert.deepEqual(call.logged, ['an ingress does not lead to the Router of its Cluster yet'])
  const [left, ...others] = await work()
  assert.deepEqual([left?.kind, others], ['route:follow-router', []])
  const kind = world.routes.workKinds.find(({ name }) => name === left?.kind) ?? assert.fail()
  const follow = async () => kind.run(fakeCall(), JSON.parse(left?.payload ?? ''))
  await assert.rejects(follow, { code: 'node.unreachable' })
  world.silent.clear()
  await follow()
  assert.deepEqual(sitesOf(given, given.ingress), [[PUBLIC, 'pool 10.44.0.8']])
  await db.deleteFrom('node_roles').where('role', '=', 'ingress').execute()
  world.done.length = 0
  await follow()
  assert.deepEqual(world.done, [], 'there is none any more')
})

test('an ingress that is the Router leads to the Instances itself, beside the private site [RTX-056]', async () => {
  await using world = await startWorld()
  const given = await city(world, { ingress: 'router' })
  world.done.length = 0
  await publish(given)
  assert.deepEqual(sitesOf(given, given.router), [
    ['shop.example at 0.0.0.0', 'pool 10.44.0.7'],
    ['shop.example', 'pool 10.44.0.7'],
  ])
  assert.deepEqual(world.done[1], 'router: sites shop.example shop.example', 'there is no hop between them')
})

test('an ingress that runs the Instance serves it itself, in the place of the private site [RTX-057]', async () => {
  await using world = await startWorld()
  const given = await city(world, { ingress: 'none' })
  await addRole(world.store, { node_id: world.node.id, role: 'ingress' })
  world.done.length = 0
  await publish(given)
  assert.deepEqual(sitesOf(given, world.node), [
    [
      'shop.example at 0.0.0.0 10.44.0.7',
      '/home/fleet/apps/shop/default/public /run/php/orbit-app-instance-1.sock',
    ],
  ])
  assert.deepEqual(world.done.slice(0, 3), [
    'router: path of shop.example to none',
    // It accepts what is presented next.
    'router: sites shop.example',
    'sites shop.example',
  ])
  const trustOf = async () =>
    (await makeSiteSource(world.deps).sitesOn(given.router)).map(
      ({ handler }) => handler.kind === 'pool' && handler.trust,
    )
  assert.deepEqual(await trustOf(), ['system'])
  world.done.length = 0
  await publish(given, 'private')
  assert.deepEqual(world.done, ['sites shop.example', 'ports closed', 'router: sites shop.example'])
  assert.deepEqual(await trustOf(), [undefined])
})

test('private sites of an ingress admit private visitors alone [RTX-084]', async () => {
  await using world = await startWorld()
  const given = await city(world, { ingress: 'router' })
  await publish(given)
  const source = makeSiteSource(world.deps)
  const guards = async (node: NodeRecord) =>
    (await source.sitesOn(node)).map(
      ({ source: from, admits = [] }) => `${from}: ${admits.join(' ') || 'everyone'}`,
    )
  assert.deepEqual(await guards(given.router), [
    'router: private_ranges 100.64.0.0/10 10.44.0.0/16',
    'ingress: everyone',
  ])
  assert.deepEqual(await guards(world.node), ['app-dev: everyone'])
})
