import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCluster, addInstance, addNode, addRole, fakeCall } from '@fleet/testing'
import type { ErrorCode } from '@fleet/contract'
import { appRoutes, findRoute } from '#/routes/queries.ts'
import {
  addApp,
  create,
  createFor,
  createInstance,
  destroy,
  destroyInstance,
  startWorld,
  type Trouble,
  unsetTarget,
  update,
  type World,
} from '#/routes/world.test.ts'

const ROOT = '/home/fleet/apps/shop/default/public'

interface Shop {
  readonly instance: number
  readonly projectId: number
  readonly route: number
}

/** An Instance on an explicit domain. */
async function shop(world: World): Promise<Shop> {
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id, domain: 'old.example' })
  world.done.length = 0
  world.builds.length = 0
  return { instance: data.id, projectId: project.id, route: data.route?.id ?? 0 }
}

const show = async (world: World, route: number) =>
  (await world.routes.handlers['route:show']({ call: fakeCall(), input: { route } })).data

/** What a visitor and the machine have of it; nothing of a change that did not happen. */
const settled = ({ machine, names }: World) => ({
  sites: [...machine.sites],
  leaves: [...machine.leaves],
  urls: [...machine.urls],
  names: [...names],
})

/** What subscribers hear of a Route in the place of another one. */
const inPlaceOf = (id: number, domain: string, data: unknown) => [
  { type: 'route.deleted', data: { id, domain } },
  { type: 'route.updated', data },
]

test('another domain is served beside the old one, takes its place, and the old one goes when nobody can hear of it [RTE-012, RTE-050, RTE-051, RTX-003, RTX-008, RTX-027, RTX-028, RTX-033, RTX-043, RTX-098, EV-050, EV-079]', async () => {
  await using world = await startWorld()
  const { instance, route } = await shop(world)
  const call = fakeCall()
  const { data } = await update(world, route, { domain: 'New.Example.' }, call)
  const before = await appRoutes(world.store.db)
  assert.deepEqual(
    before.map(({ id, status, replaces_route_id, replacement_step }) => [
      id,
      status,
      replaces_route_id,
      replacement_step,
    ]),
    [[data.id, 'active', null, null]],
  )
  assert.notEqual(data.id, route)
  assert.deepEqual(
    [data.domain, data.status, data.provenance, data.publication, data.target?.instance_id],
    ['new.example', 'active', 'explicit', 'private', instance],
  )
  const [live, staging] = [`app-instance-${instance}`, `app-instance-${instance}-hostname-change`]
  assert.deepEqual(world.done, [
    `leaf ${staging}`,
    'sites old.example new.example',
    'url of . is https://new.example',
    'names old.example new.example',
    'names new.example',
    `leaf ${live}`,
    'sites new.example',
    `no leaf ${staging}`,
  ])
  assert.deepEqual(world.slept, [31_000])
  const socket = `/run/php/orbit-app-instance-${instance}.sock`
  assert.deepEqual(world.builds, [
    `new.example ${ROOT} ${socket}, old.example ${ROOT} ${socket}`,
    `new.example ${ROOT} ${socket}`,
  ])
  assert.deepEqual([...world.machine.leaves], [[live, 'new.example']])
  assert.deepEqual(call.events, inPlaceOf(route, 'old.example', data))
  assert.deepEqual(call.notes.subject, `route:${data.id}`)
  const own = await world.routes.forInstances.own([instance])
  assert.deepEqual(
    [...own.values()].map(({ domain }) => domain),
    ['new.example'],
  )
  const again = fakeCall()
  assert.deepEqual((await update(world, data.id, { domain: 'new.example' }, again)).data, data)
  assert.deepEqual(again.events, [])
})

test('a publication keeps the Route, and goes with another domain; it opens nothing [RTE-016, RTX-010, RTX-051, EV-050]', async () => {
  await using world = await startWorld()
  const { route } = await shop(world)
  const call = fakeCall()
  const { data } = await update(world, route, { publication: 'public' }, call)
  assert.deepEqual([data.id, data.publication, world.done], [route, 'public', []])
  assert.deepEqual(call.events, [{ type: 'route.updated', data }])
  const same = fakeCall()
  await update(world, route, { publication: 'public' }, same)
  assert.deepEqual(same.events, [])
  const both = await update(world, route, { domain: 'new.example', publication: 'private' })
  assert.deepEqual([both.data.domain, both.data.publication], ['new.example', 'private'])
})

test('each refusal comes before any change [RTE-011, RTE-014, RTE-073, RTE-147, RTX-009, RTX-011, RTX-036]', async () => {
  await using world = await startWorld()
  const { instance, projectId, route } = await shop(world)
  const { db } = world.store
  const generated = await createInstance(world, { project_id: projectId, name: 'b' })
  const admin = await createFor(world, instance, { web_root: 'apps/admin/public' })
  const proxy = await create(world)
  const lost = await addInstance(world.store, {
    project_id: projectId,
    node_id: world.node.id,
    name: 'lost',
    status: 'active',
  })
  const odd = await createFor(world, lost.id, { domain: 'lost.example' })
  await db.updateTable('instances').set({ profile: null }).where('id', '=', lost.id).execute()
  const machine = await addNode(world.store)
  world.done.length = 0
  const before = await appRoutes(db)
  for (const [id, given, code] of [
    [route, {}, 'validation.failed'],
    [route, { domain: 'a b' }, 'route.domain_invalid'],
    [route, { domain: 'gateway.fleet' }, 'route.domain_conflict'],
    [route, { domain: `${machine.name}.fleet` }, 'route.domain_conflict'],
    [route, { domain: 'b.shop.test' }, 'route.domain_conflict'],
    [proxy.data.id, { domain: 'new.example' }, 'route.kind_unsupported'],
    [generated.data.route?.id ?? 0, { domain: 'new.example' }, 'route.reconciliation_required'],
    [admin.data.id, { domain: 'new.example' }, 'route.web_root_domain_immutable'],
    [odd.data.id, { domain: 'new.example' }, 'instance.source_profile_missing'],
    [999, { domain: 'new.example' }, 'route.not_found'],
  ] as const)
    await assert.rejects(update(world, id, given), { code }, JSON.stringify(given))
  // What helps is another command, and never to remove what serves.
  await assert.rejects(update(world, generated.data.route?.id ?? 0, { domain: 'new.example' }), {
    message:
      'The domain of the Route was generated, and its Instance is what gets another one: `fleet instance:rename shop/b --domain new.example`.',
  })
  for (const publication of ['public', 'private'] as const)
    await assert.rejects(update(world, proxy.data.id, { publication }), {
      code: 'route.kind_unsupported',
      message: /^A custom proxy is always private\./,
      details: { kind: 'custom_proxy', reason: 'always_private' },
    })
  await addCluster(world.store, { state: 'active' }, [world.node])
  await assert.rejects(update(world, route, { domain: 'new.example' }), { code: 'route.router_required' })
  assert.deepEqual(world.done, [])
  assert.deepEqual(await appRoutes(db), before)
})

test('a Route that leads to nothing gets another domain at once: another Route takes its place, and no machine hears of it [RTX-024]', async () => {
  await using world = await startWorld()
  const { instance, route } = await shop(world)
  const { db } = world.store
  await db.updateTable('instances').set({ status: 'source_resolved' }).where('id', '=', instance).execute()
  await db.updateTable('routes').set({ status: 'failed' }).where('id', '=', route).execute()
  await unsetTarget(world, route)
  world.done.length = 0
  await create(world, { domain: 'taken.example' })
  const before = await show(world, route)
  await assert.rejects(update(world, route, { domain: 'taken.example' }), { code: 'route.domain_conflict' })
  assert.deepEqual(await show(world, route), before)
  world.done.length = 0
  const call = fakeCall()
  const { data } = await update(world, route, { domain: 'new.example', publication: 'public' }, call)
  assert.notEqual(data.id, route)
  assert.deepEqual(data, { ...before, id: data.id, domain: 'new.example', publication: 'public' })
  assert.deepEqual(await show(world, data.id), data)
  await assert.rejects(show(world, route), { code: 'route.not_found' })
  assert.deepEqual([world.done, world.slept], [[], []])
  assert.deepEqual(call.events, inPlaceOf(route, before.domain, data))
})

const CODE: ErrorCode = 'certificate.publication_failed'

test('a failure before the cutover leaves the old domain and nothing of the new one [RTX-025, RTX-037]', async () => {
  for (const what of ['leaf', 'url', 'name'] as const satisfies Trouble[]) {
    await using world = await startWorld()
    const { route } = await shop(world)
    const before = settled(world)
    const routes = await appRoutes(world.store.db)
    let failures = 0
    world.broken.set(what, CODE)
    world.worksAfter = { what, times: 1, seen: () => (failures += 1) }
    const call = fakeCall()
    await assert.rejects(update(world, route, { domain: 'new.example' }, call), { code: CODE }, what)
    assert.equal(failures, 1)
    assert.deepEqual(await appRoutes(world.store.db), routes)
    const { urls: _urls, ...after } = settled(world)
    const { urls: _before, ...expected } = before
    assert.deepEqual(after, expected)
    assert.notEqual(world.machine.urls.get(''), 'https://new.example')
    assert.deepEqual(call.events, [])
    assert.equal((await update(world, route, { domain: 'new.example' })).data.status, 'active')
  }
})

test('what could not be undone stays failed with its step: the same request begins again, another one waits [RTX-026, RTX-035, RTX-037, RTE-019]', async () => {
  await using world = await startWorld()
  const { route } = await shop(world)
  world.broken.set('name', 'app-dev.projection_busy')
  await assert.rejects(update(world, route, { domain: 'new.example' }), { code: 'app-dev.projection_busy' })
  const [old, next] = await appRoutes(world.store.db)
  assert.deepEqual(
    [old?.status, old?.replaced_by_route_id, next?.status, next?.failed_step, next?.error_code],
    ['active', next?.id, 'failed', 'private-dns', 'app-dev.projection_busy'],
  )
  assert.deepEqual([...world.names], ['old.example'])
  world.broken.clear()
  for (const id of [route, next?.id ?? 0])
    for (const given of [
      { domain: 'other.example' },
      { publication: 'public' },
      { domain: 'new.example', publication: 'public' },
    ] as const)
      await assert.rejects(update(world, id, given), { code: 'route.domain_change_conflict' })
  const { data } = await update(world, route, { domain: 'new.example' })
  assert.deepEqual([data.id, data.status, data.failed_step], [next?.id, 'active', null])
  assert.deepEqual([...world.names], ['new.example'])
})

test('after the cutover the change only goes forward, whichever of the two Routes is named [RTE-054, RTX-028, RTX-032, RTE-020]', async () => {
  for (const named of ['old', 'new'] as const) {
    await using world = await startWorld()
    const { instance, route } = await shop(world)
    world.broken.set('leaf gone', CODE)
    const call = fakeCall()
    await assert.rejects(update(world, route, { domain: 'new.example' }, call), { code: CODE })
    const [old, next] = await appRoutes(world.store.db)
    assert.deepEqual(
      [old?.status, next?.status, next?.failed_step, next?.error_code, next?.replacement_step],
      ['retiring', 'activating', 'cleanup', CODE, 'cleanup'],
    )
    assert.deepEqual([call.events, [...world.names]], [[], ['new.example']])
    const shown = await Promise.all([route, idOf(next)].map((id) => show(world, id)))
    assert.deepEqual(
      shown.map((one) => [one.replaces_route_id, one.replaced_by_route_id, one.replacement_step]),
      [
        [null, idOf(next), null],
        [route, null, 'cleanup'],
      ],
    )
    const own = await world.routes.forInstances.own([instance])
    assert.equal(own.get(instance)?.domain, 'new.example')
    world.broken.clear()
    for (const id of [route, next?.id ?? 0])
      await assert.rejects(destroy(world, id), {
        code: 'route.target_conflict',
        message: `The domain of the Route is changed to new.example, and only the rest of that is missing. Finish it: \`fleet route:update ${idOf(next)} --domain new.example\`.`,
      })
    const again = fakeCall()
    const { data } = await update(
      world,
      named === 'old' ? route : idOf(next),
      { domain: 'new.example' },
      again,
    )
    assert.deepEqual([data.id, data.status], [next?.id, 'active'])
    assert.deepEqual(world.slept, [31_000], 'it waits once')
    assert.deepEqual(again.events, inPlaceOf(route, 'old.example', data))
    assert.equal(await findRoute(world.store.db, route), undefined)
  }
})

const idOf = (route: { readonly id: number } | undefined): number => route?.id ?? 0

test('a change that failed can be given up: the old Route is as before [RTE-052, RTE-053]', async () => {
  await using world = await startWorld()
  const { instance, route } = await shop(world)
  const before = settled(world)
  world.broken.set('name', CODE)
  await assert.rejects(update(world, route, { domain: 'new.example' }))
  const [, next] = await appRoutes(world.store.db)
  await world.store.db.updateTable('routes').set({ failed_step: null }).where('id', '=', idOf(next)).execute()
  await assert.rejects(destroy(world, idOf(next)), { code: CODE })
  const left = await findRoute(world.store.db, idOf(next))
  assert.deepEqual([left?.status, left?.failed_step], ['failed', 'withdrawal'])
  world.broken.clear()
  const call = fakeCall()
  await destroy(world, idOf(next), false, call)
  const [only, ...others] = await appRoutes(world.store.db)
  assert.deepEqual([only?.id, only?.status, only?.replaced_by_route_id, others], [route, 'active', null, []])
  assert.deepEqual({ ...settled(world), urls: [] }, { ...before, urls: [] })
  assert.deepEqual([...world.machine.urls], [['', 'https://old.example']])
  assert.deepEqual(call.events, [{ type: 'route.deleted', data: { id: idOf(next), domain: 'new.example' } }])
  await destroyInstance(world, instance)
})

test('a change that failed on a silent Node is given up without it', async () => {
  await using world = await startWorld()
  const { instance, route } = await shop(world)
  world.broken.set('name', CODE)
  await assert.rejects(update(world, route, { domain: 'new.example' }))
  world.broken.clear()
  world.answers = false
  const [, next] = await appRoutes(world.store.db)
  await destroy(world, idOf(next), true)
  world.answers = true
  assert.equal((await findRoute(world.store.db, route))?.replaced_by_route_id, null)
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  await world.routes.residue.converge(session, { force: false })
  assert.deepEqual([...world.machine.leaves], [[`app-instance-${instance}`, 'old.example']])
})

test('a Router serves both domains as its Nodes do, and loses the old one after them [RTX-033]', async () => {
  await using world = await startWorld()
  const edge = await addNode(world.store, { name: 'edge', wireguard_ip: '10.44.0.8' })
  await addCluster(world.store, { tld: 'lan', state: 'active' }, [world.node, edge])
  await addRole(world.store, { node_id: edge.id, role: 'router' })
  const { instance, route } = await shop(world)
  const { data } = await update(world, route, { domain: 'new.example' })
  const [live, staging] = [`app-instance-${instance}`, `app-instance-${instance}-hostname-change`]
  assert.deepEqual(world.done, [
    `leaf ${staging}`,
    'sites old.example new.example',
    `edge: leaf route-${data.id}-router`,
    `edge: leaf route-${data.id}-router`,
    'edge: sites old.example new.example',
    'url of . is https://new.example',
    'names old.example new.example',
    'names new.example',
    `leaf ${live}`,
    'edge: sites new.example',
    'sites new.example',
    `edge: no leaf route-${route}-router`,
    `no leaf ${staging}`,
  ])
  assert.deepEqual(
    [...(world.machines.get(edge.id)?.leaves ?? [])],
    [[`route-${data.id}-router`, 'new.example']],
  )
  world.broken.set('name', CODE)
  world.worksAfter = { what: 'name', times: 1, seen: () => undefined }
  await assert.rejects(update(world, data.id, { domain: 'third.example' }), { code: CODE })
  const { leaves, sites } = world.machines.get(edge.id) ?? {}
  assert.deepEqual(
    [[...(leaves?.keys() ?? [])], [...(sites?.keys() ?? [])]],
    [[`route-${data.id}-router`], ['new.example']],
  )
})
