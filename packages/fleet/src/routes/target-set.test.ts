import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import type { ErrorCode } from '@fleet/contract'
import { addCluster, addInstance, addNode, addProject, addRole, fakeCall } from '@fleet/testing'
import { presentRoute } from '#/routes/present.ts'
import { findRoute, routesWhere, updateRoute } from '#/routes/queries.ts'
import {
  addApp,
  create,
  createFor,
  createInstance,
  destroy,
  setTarget,
  startWorld,
  unsetTarget,
  update,
  type World,
} from '#/routes/world.test.ts'

/** A Route of an Instance that failed, and another Instance of the Project that has none. */
async function orphan(world: World, given: { readonly domain?: string } = {}) {
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id, ...given })
  const route = data.route?.id ?? 0
  await fails(world, data.id)
  await updateRoute(world.store.db, route, { status: 'failed', failed_step: 'caddy', error_code: 'http.500' })
  const next = await addInstance(world.store, {
    project_id: project.id,
    node_id: world.node.id,
    name: 'second',
    checkout_path: '/home/fleet/apps/shop/second',
  })
  world.done.length = 0
  return { project, route, instance: data.id, next: next.id }
}

const fails = (world: World, id: number) =>
  world.store.db.updateTable('instances').set({ status: 'source_resolved' }).where('id', '=', id).execute()

const stored = async (world: World) =>
  (await routesWhere(world.store.db)).map(({ domain, status, failed_step, targets }) => [
    domain,
    status,
    failed_step,
    ...targets.map(({ instance_id }) => instance_id),
  ])

test('a Route whose Instance is not active is led to another one: what the first one had goes, the next is served, and its name is last [RTX-005, RTX-018, EV-050]', async () => {
  await using world = await startWorld()
  const { route, instance, next } = await orphan(world, { domain: 'shop.example' })
  const call = fakeCall()
  const { data } = await setTarget(world, route, next, call)
  assert.deepEqual(
    [data.id, data.domain, data.status, data.target?.instance_id, data.target?.position, data.targets.length],
    [route, 'shop.example', 'active', next, 1, 1],
  )
  assert.deepEqual(world.done, [
    'names none',
    'sites none',
    'pools',
    'access',
    `no leaf app-instance-${instance}`,
    'access',
    'php of .',
    `pool ${[...world.machine.pools].join(' ')}`,
    `leaf app-instance-${next}`,
    'sites shop.example',
    'url of . is https://shop.example',
    'names shop.example',
  ])
  assert.deepEqual(
    call.events.map(({ type, data: sent }) => [type, sent]),
    [['route.updated', data]],
  )
})

test('a generated Route follows its Instance: another name is another Route in its place [RTE-103]', async () => {
  await using world = await startWorld()
  const { route, next } = await orphan(world)
  const berlin = await addNode(world.store, { name: 'berlin', wireguard_ip: '10.44.0.9', tld: 'berlin' })
  await world.store.db.updateTable('instances').set({ node_id: berlin.id }).where('id', '=', next).execute()
  const { data } = await setTarget(world, route, next)
  assert.notEqual(data.id, route)
  assert.deepEqual(
    [data.domain, data.provenance, data.node_id, data.generation_basis_node_id, data.target?.instance_id],
    ['second.shop.berlin', 'generated', berlin.id, berlin.id, next],
  )
  assert.deepEqual(await stored(world), [['second.shop.berlin', 'active', null, next]])
  assert.deepEqual([...world.names], ['second.shop.berlin'])
  assert.deepEqual([...world.machine.sites.keys()], [])
})

test('an explicit Route keeps its domain and follows its Instance into a Cluster [RTE-031]', async () => {
  await using world = await startWorld()
  const { route, next } = await orphan(world, { domain: 'shop.example' })
  const web = await addNode(world.store, { name: 'web-2', wireguard_ip: '10.44.0.9' })
  const edge = await addNode(world.store, { name: 'edge', wireguard_ip: '10.44.0.8' })
  const cluster = await addCluster(world.store, { state: 'active' }, [web, edge])
  await world.store.db.updateTable('instances').set({ node_id: web.id }).where('id', '=', next).execute()
  await assert.rejects(setTarget(world, route, next), { code: 'route.router_required' })
  await addRole(world.store, { node_id: edge.id, role: 'router' })
  const { data } = await setTarget(world, route, next)
  assert.deepEqual(
    [data.id, data.domain, data.node_id, data.cluster_id],
    [route, 'shop.example', null, cluster.id],
  )
})

test('the target that it has changes nothing on an active Route [RTE-090]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  world.done.length = 0
  const call = fakeCall()
  const answer = await setTarget(world, data.route?.id ?? 0, data.id, call)
  assert.deepEqual(
    [answer.data.id, answer.data.status, call.events.length, world.done],
    [data.route?.id, 'active', 0, []],
  )
})

test('a failed walk of the source keeps the target and is broadcast, and the same request grants access again and serves [RTE-091, RTE-102, RTX-131, EV-090]', async () => {
  await using world = await startWorld()
  const { route, next } = await orphan(world, { domain: 'shop.example' })
  await unsetTarget(world, route)
  world.broken.set('access', 'app-dev.source_access_failed')
  const call = fakeCall()
  await assert.rejects(setTarget(world, route, next, call), { code: 'app-dev.source_access_failed' })
  assert.deepEqual(
    call.events.map(({ type, data }) => [type, data]),
    [['route.updated', presentRoute((await findRoute(world.store.db, route)) ?? assert.fail())]],
  )
  assert.deepEqual(await stored(world), [['shop.example', 'activating', 'source-access', next]])
  assert.deepEqual([...world.names], [])
  world.broken.clear()
  world.done.length = 0
  assert.equal((await setTarget(world, route, next)).data.status, 'active')
  assert.ok(world.done.includes('access'))
  assert.deepEqual(await stored(world), [['shop.example', 'active', null, next]])
})

test('while private configuration is being published a target is refused, and nothing changes [RTE-101]', async () => {
  await using world = await startWorld()
  const { route, next } = await orphan(world, { domain: 'shop.example' })
  const busy = async (): Promise<void> => {
    const lock = { name: 'dnsmasq-projections', operation: 'route:create', requestId: 'r', leaseSeconds: 60 }
    await using _held = await world.store.locks.acquire({ ...lock, waitMilliseconds: 0 })
    const call = fakeCall({ deadline: new Deadline(systemClock, 20, 20) })
    await refuses(world, () => setTarget(world, route, next, call), 'app-dev.projection_busy')
  }
  await busy()
  await unsetTarget(world, route)
  await busy()
  assert.equal((await setTarget(world, route, next)).data.status, 'active')
})

test('while private configuration is being published no target is cleared, and nothing changes [RTE-101]', async () => {
  await using world = await startWorld()
  const { route } = await orphan(world)
  const call = fakeCall({ deadline: new Deadline(systemClock, 20, 20) })
  {
    const lock = { name: 'dnsmasq-projections', operation: 'route:create', requestId: 'r', leaseSeconds: 60 }
    await using _held = await world.store.locks.acquire({ ...lock, waitMilliseconds: 0 })
    await refuses(world, () => unsetTarget(world, route, call), 'app-dev.projection_busy')
  }
  assert.equal((await unsetTarget(world, route)).data.target, null)
})

test('no Route with a web root moves to an Instance of production [RTE-156]', async () => {
  await using world = await startWorld()
  const { project, route, next } = await orphan(world)
  const live = await addInstance(world.store, {
    project_id: project.id,
    node_id: world.node.id,
    name: 'live',
    environment: 'production',
  })
  await updateRoute(world.store.db, route, { web_root: 'apps/admin/public' })
  await refuses(world, () => setTarget(world, route, live.id), 'route.web_root_unsupported')
  await setTarget(world, route, next)
})

/** What is refused leaves Routes and machine as they were. */
async function refuses(world: World, work: () => Promise<unknown>, code: ErrorCode): Promise<void> {
  const before = await stored(world)
  world.done.length = 0
  await assert.rejects(work, { code })
  assert.deepEqual([await stored(world), world.done], [before, []])
}

test('an Instance that is served by another Route, of another Project, inactive or unknown is refused [RTE-093, RTE-097, RTE-098, RTX-069]', async () => {
  await using world = await startWorld()
  const { project, route, next } = await orphan(world)
  const { data: third } = await createInstance(world, { project_id: project.id, name: 'third' })
  const other = await addProject(world.store, { slug: 'other' })
  const foreign = await addInstance(world.store, { project_id: other.id, node_id: world.node.id, name: 'x' })
  await refuses(world, () => setTarget(world, route, third.id), 'route.target_conflict')
  await assert.rejects(setTarget(world, route, third.id), {
    details: {
      requested_route_id: route,
      existing_route_id: third.route?.id,
      instance_ids: [third.id],
    },
  })
  await refuses(world, () => setTarget(world, route, foreign.id), 'route.target_app_conflict')
  await fails(world, next)
  await refuses(world, () => setTarget(world, route, next), 'route.target_inactive')
  await refuses(world, () => setTarget(world, route, 4711), 'route.target_inactive')
})

test('a Route with an active Instance keeps it, and an active one is not changed at all [RTE-094, RTE-096]', async () => {
  await using world = await startWorld()
  const { route, instance, next } = await orphan(world)
  await updateRoute(world.store.db, route, { status: 'active' })
  await refuses(world, () => setTarget(world, route, next), 'route.reconciliation_required')
  await refuses(world, () => unsetTarget(world, route), 'route.reconciliation_required')
  await world.store.db.updateTable('instances').set({ status: 'active' }).where('id', '=', instance).execute()
  await refuses(world, () => setTarget(world, route, next), 'route.target_conflict')
  await refuses(world, () => unsetTarget(world, route), 'route.target_conflict')
})

test('a Route with a web root that keeps its Instance says that it can be removed', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  const further = await createFor(world, data.id, { domain: 'admin.example', web_root: 'apps/admin/public' })
  const id = further.data.id
  await assert.rejects(unsetTarget(world, id), {
    code: 'route.target_conflict',
    message: `A Route with a web root keeps its Instance while that is active. Remove the Route instead: \`fleet route:destroy ${id}\`.`,
  })
  await assert.rejects(unsetTarget(world, data.route?.id ?? 0), {
    code: 'route.target_conflict',
    message: /the only one of an Instance/,
  })
  await destroy(world, id)
})

test('a generated Route needs a top-level domain, and a custom proxy has no target [RTE-099, RTE-100]', async () => {
  await using world = await startWorld()
  const { route, next } = await orphan(world)
  await world.store.db.updateTable('nodes').set({ tld: null }).execute()
  await refuses(world, () => setTarget(world, route, next), 'route.tld_required')
  const { data } = await create(world)
  await refuses(world, () => setTarget(world, data.id, next), 'route.kind_unsupported')
  await refuses(world, () => unsetTarget(world, data.id), 'route.kind_unsupported')
})

test('a cleared Route keeps its domain, scope and basis, serves nothing, and stays as it is when it is cleared again [RTE-092, RTX-006, RTX-019, RTE-015, RTE-017]', async () => {
  await using world = await startWorld()
  const { route } = await orphan(world)
  await world.store.db.updateTable('routes').set({ publication: 'public' }).execute()
  const call = fakeCall()
  const { data } = await unsetTarget(world, route, call)
  const { node } = world
  assert.deepEqual([data.provenance, data.publication], ['generated', 'public'])
  assert.deepEqual(
    [data.id, data.domain, data.status, data.target, data.targets, data.failed_step],
    [route, 'shop.test', 'pending', null, [], null],
  )
  assert.deepEqual([data.node_id, data.cluster_id, data.generation_basis_node_id], [node.id, null, node.id])
  assert.deepEqual([[...world.names], [...world.machine.sites], [...world.machine.leaves]], [[], [], []])
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['route.updated'],
  )
  world.done.length = 0
  const again = fakeCall()
  assert.deepEqual((await unsetTarget(world, route, again)).data, data)
  assert.deepEqual([again.events.length, world.done], [0, []])
})

test('a replacement that never served is destroyed, not cleared [RTE-095]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id, domain: 'old.example' })
  world.broken.set('site', 'app-dev.caddy_config_failed')
  world.broken.set('leaf gone', 'certificate.publication_failed')
  await assert.rejects(update(world, data.route?.id ?? 0, { domain: 'new.example' }))
  world.broken.clear()
  const replacement = (await routesWhere(world.store.db)).find((one) => one.replaces_route_id !== null)
  assert.ok(replacement)
  await refuses(world, () => unsetTarget(world, replacement.id), 'route.target_conflict')
  await refuses(world, () => setTarget(world, replacement.id, data.id), 'route.domain_change_conflict')
  await assert.rejects(setTarget(world, replacement.id, data.id), {
    details: { existing_route_id: data.route?.id, domain: 'new.example' },
  })
  assert.equal((await findRoute(world.store.db, replacement.id))?.targets.length, 1)
})

test('a removal of a Route without an Instance does not take one that got one since [RTX-062]', async () => {
  await using world = await startWorld()
  const { route, next } = await orphan(world, { domain: 'shop.example' })
  await unsetTarget(world, route)
  world.broken.set('site', 'app-dev.caddy_config_failed')
  await assert.rejects(destroy(world, route), { code: 'app-dev.caddy_config_failed' })
  world.broken.clear()
  // As the request found it, which then waited for the other one.
  const asked = await findRoute(world.store.db, route)
  await setTarget(world, route, next)
  await updateRoute(world.store.db, route, { status: 'activating' })
  const before = await stored(world)
  const remove = (found?: typeof asked) =>
    world.routes.handlers['route:destroy']({
      call: fakeCall(),
      input: { route, offline: false },
      ...(found ? { found: { route: found } } : {}),
    })
  await assert.rejects(remove(asked), { code: 'env.owner_changed' })
  await updateRoute(world.store.db, route, { status: 'failed', failed_step: 'caddy' })
  await assert.rejects(remove(), { code: 'env.owner_changed' })
  await updateRoute(world.store.db, route, { status: 'activating', failed_step: null })
  assert.deepEqual(await stored(world), before)
  await remove()
  assert.deepEqual(await stored(world), [])
})
