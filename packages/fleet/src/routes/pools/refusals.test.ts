import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, findOperation, type InputOf } from '@fleet/contract'
import { addCluster, addInstance, addNode, addRole, fakeCall } from '@fleet/testing'
import { addForeign, addProduction, openShop, type Shop, viewOf } from '#/routes/pools/world.test.ts'
import { deleteTargets, updateRoute } from '#/routes/queries.ts'
import { create, createFor, type World } from '#/routes/world.test.ts'

type Input = Omit<InputOf<'route:target:set'>, 'route'>

/** What is refused changes nothing, and asks nothing of a machine. */
async function refuses(shop: Shop, route: number, input: Input, code: ErrorCode): Promise<void> {
  const { world } = shop
  const before = await viewOf(world)
  world.done.length = 0
  const call = fakeCall()
  const work = world.routes.handlers['route:target:set']({ call, input: { route, ...input } })
  await assert.rejects(work, { code }, JSON.stringify(input))
  assert.deepEqual([await viewOf(world), world.done, call.events], [before, [], []])
  assert.deepEqual(await world.store.db.selectFrom('route_target_sets').selectAll().execute(), [])
}

const set = ({ db }: World['store'], table: 'instances' | 'nodes', id: number, values: object) =>
  db.updateTable(table).set(values).where('id', '=', id).execute()

test('one Instance or a complete set: never both, none, or dispositions alone [RTX-012]', async () => {
  const shop = await openShop()
  await using _ = shop.world
  const [a] = shop.instances
  const disposition = { instance_id: a, remove: true as const }
  for (const input of [{}, { instance_id: a, targets: [a] }, { instance_id: a, dispositions: [disposition] }])
    await refuses(shop, shop.routes[0], input, 'validation.failed')
})

test('a request names Instances and never addresses, directives or weights [RTE-109]', () => {
  const { input } = findOperation('route:target:set') ?? assert.fail()
  assert.ok(input.safeParse({ route: 1, targets: [1] }).success)
  for (const further of [
    { upstreams: ['https://10.44.0.7'] },
    { addresses: ['10.44.0.7'] },
    { directives: 'lb_policy first' },
    { weights: [1] },
    { policy: 'first' },
  ])
    assert.equal(input.safeParse({ route: 1, targets: [1], ...further }).success, false)
  assert.equal(input.safeParse({ route: 1, targets: [{ instance_id: 1, weight: 2 }] }).success, false)
  const disposition = { instance_id: 1, remove: true, address: '10.44.0.7' }
  assert.equal(input.safeParse({ route: 1, targets: [2], dispositions: [disposition] }).success, false)
})

test('a disposition has exactly one of a Route and a removal [RTX-013, RTE-122]', async () => {
  const shop = await openShop()
  await using _ = shop.world
  const [a, b] = shop.instances
  const [, route_id] = shop.routes
  for (const given of [{}, { route_id, remove: true as const }])
    await refuses(
      shop,
      shop.routes[0],
      { targets: [b], dispositions: [{ instance_id: a, ...given }] },
      'route.target_disposition_invalid',
    )
})

test('a custom proxy, a generated Route, one of a single Node and one of a development Instance have no pool [RTE-023, RTE-104, RTE-115]', async () => {
  const shop = await openShop()
  const { world, projectId } = shop
  await using _ = world
  const [a, b] = shop.instances
  await refuses(shop, (await create(world)).data.id, { targets: [a] }, 'route.kind_unsupported')
  await world.store.db
    .updateTable('routes')
    .set({ provenance: 'generated' })
    .where('id', '=', shop.routes[1])
    .execute()
  await refuses(shop, shop.routes[1], { targets: [b, a] }, 'route.pool_unsupported')
  const alone = await addNode(world.store, { name: 'alone', wireguard_ip: '10.44.0.30' })
  await addRole(world.store, { node_id: alone.id, role: 'app-prod' })
  const far = await addProduction(shop, 'far', alone.id)
  const { data } = await createFor(world, far.id, { domain: 'far.example' })
  await refuses(shop, data.id, { targets: [far.id, a] }, 'route.pool_unsupported')
  const dev = await addInstance(world.store, { project_id: projectId, node_id: world.node.id, name: 'dev' })
  await refuses(shop, shop.routes[0], { targets: [a, dev.id] }, 'route.pool_unsupported')
  const served = await createFor(world, dev.id, { domain: 'dev.example' })
  await refuses(
    shop,
    served.data.id,
    { targets: [a], dispositions: [{ instance_id: dev.id, remove: true }] },
    'route.pool_unsupported',
  )
})

test('an Instance twice, or two on one Node, is refused [RTE-105, RTE-116]', async () => {
  const shop = await openShop()
  await using _ = shop.world
  const [a, b] = shop.instances
  await refuses(shop, shop.routes[0], { targets: [a, b, a] }, 'route.target_conflict')
  const { id: d } = await addProduction(shop, 'd', shop.world.node.id)
  await refuses(shop, shop.routes[0], { targets: [a, d] }, 'route.target_conflict')
})

test('targets and destinations are of the same Project [RTE-105, RTE-117]', async () => {
  const shop = await openShop()
  const { world } = shop
  await using _ = world
  const [a, b] = shop.instances
  const other = await addForeign(shop)
  const foreign = await addProduction({ world, projectId: other.id }, 'x', shop.nodes[2]?.id ?? 0)
  await refuses(shop, shop.routes[0], { targets: [a, foreign.id] }, 'route.target_app_conflict')
  await set(world.store, 'instances', foreign.id, { root: 'public' })
  const { data } = await createFor(world, foreign.id, { domain: 'foreign.example' })
  await refuses(
    shop,
    shop.routes[0],
    { targets: [b], dispositions: [{ instance_id: a, route_id: data.id }] },
    'route.target_app_conflict',
  )
})

test('a target is on an active Node for production of the Cluster [RTE-105, RTE-118]', async () => {
  const shop = await openShop()
  const { world } = shop
  await using _ = world
  const [a, b] = shop.instances
  const outside = await addNode(world.store, { name: 'outside', wireguard_ip: '10.44.0.30' })
  await addRole(world.store, { node_id: outside.id, role: 'app-prod' })
  const far = await addProduction(shop, 'far', outside.id)
  await refuses(shop, shop.routes[0], { targets: [a, far.id] }, 'route.target_scope_conflict')
  await addCluster(world.store, { name: 'other', state: 'active' }, [outside])
  await refuses(shop, shop.routes[0], { targets: [a, far.id] }, 'route.target_scope_conflict')
  const second = shop.nodes[1]?.id ?? 0
  await set(world.store, 'nodes', second, { status: 'removing' })
  await refuses(shop, shop.routes[0], { targets: [a, b] }, 'route.target_scope_conflict')
  await set(world.store, 'nodes', second, { status: 'active' })
  await world.store.db.deleteFrom('node_roles').where('node_id', '=', second).execute()
  await refuses(shop, shop.routes[0], { targets: [a, b] }, 'route.target_scope_conflict')
})

test('a Cluster that is inactive is no scope for a target, also of a Route that kept it without an Instance [RTE-118]', async () => {
  const shop = await openShop()
  const { world } = shop
  await using _ = world
  const { db } = world.store
  const [a, b] = shop.instances
  await deleteTargets(db, shop.routes[1])
  await updateRoute(db, shop.routes[1], { status: 'pending' })
  await db.updateTable('clusters').set({ state: 'inactive' }).execute()
  await refuses(shop, shop.routes[1], { targets: [b] }, 'route.target_scope_conflict')
  const dispositions = [{ instance_id: a, route_id: shop.routes[1] }]
  await refuses(shop, shop.routes[0], { targets: [b], dispositions }, 'route.target_scope_conflict')
})

test('a target exists and is active, and has a web root [RTE-105, RTE-119, RTE-120]', async () => {
  const shop = await openShop()
  const { world } = shop
  await using _ = world
  const [a, b] = shop.instances
  await refuses(shop, shop.routes[0], { targets: [a, 4711] }, 'route.target_inactive')
  await set(world.store, 'instances', b, { status: 'source_resolved' })
  await refuses(shop, shop.routes[0], { targets: [a, b] }, 'route.target_inactive')
  await set(world.store, 'instances', b, { status: 'active', root: '.' })
  await refuses(shop, shop.routes[0], { targets: [a, b] }, 'route.target_web_root_unsupported')
})

test('who leaves has a disposition, also while it is not active [RTE-106, RTE-121, RTX-014]', async () => {
  const shop = await openShop()
  await using _ = shop.world
  const [a, b] = shop.instances
  await refuses(shop, shop.routes[0], { targets: [b] }, 'route.target_disposition_required')
  await refuses(shop, shop.routes[0], { targets: [b], dispositions: [] }, 'route.target_disposition_required')
  await set(shop.world.store, 'instances', a, { status: 'source_resolved' })
  await refuses(shop, shop.routes[0], { targets: [b] }, 'route.target_disposition_required')
})

test('a disposition is about who leaves, once, and its Route can take the Instance [RTE-122]', async () => {
  const shop = await openShop()
  const { world } = shop
  await using _ = world
  const [a, b, c] = shop.instances
  const [own, second, third] = shop.routes
  const invalid = (dispositions: Input['dispositions']) =>
    refuses(shop, own, { targets: [b], dispositions }, 'route.target_disposition_invalid')
  const gone = { instance_id: a, remove: true as const }
  await invalid([gone, gone])
  await invalid([gone, { instance_id: c, remove: true }])
  await invalid([gone, { instance_id: b, route_id: third }])
  await invalid([{ instance_id: a, route_id: 4711 }])
  await invalid([{ instance_id: a, route_id: own }])
  await invalid([{ instance_id: a, route_id: (await create(world)).data.id }])
  const further = await createFor(world, c, { domain: 'docs.example', web_root: 'docs/public' })
  await invalid([{ instance_id: a, route_id: further.data.id }])
  await updateRoute(world.store.db, third, { status: 'failed' })
  await invalid([{ instance_id: a, route_id: third }])
  await updateRoute(world.store.db, third, { status: 'active', replaced_by_route_id: 99 })
  await invalid([{ instance_id: a, route_id: third }])
  await updateRoute(world.store.db, third, { replaced_by_route_id: null })
  await world.store.db
    .updateTable('routes')
    .set({ provenance: 'generated' })
    .where('id', '=', third)
    .execute()
  await invalid([{ instance_id: a, route_id: third }])
  assert.ok(second)
})

test('a destination has one Instance of a Node, and takes no inactive one [RTE-119, RTE-122]', async () => {
  const shop = await openShop()
  const { world } = shop
  await using _ = world
  const [a, b] = shop.instances
  const { id: d } = await addProduction(shop, 'd', world.node.id)
  const { data } = await createFor(world, d, { domain: 'd.example' })
  const request = { targets: [b], dispositions: [{ instance_id: a, route_id: data.id }] }
  await refuses(shop, shop.routes[0], request, 'route.target_disposition_invalid')
  await set(world.store, 'instances', a, { status: 'source_resolved' })
  const elsewhere = { targets: [b], dispositions: [{ instance_id: a, route_id: shop.routes[2] }] }
  await refuses(shop, shop.routes[0], elsewhere, 'route.target_inactive')
})

test('a Route with a web root keeps one target [RTE-124, RTE-156]', async () => {
  const shop = await openShop()
  const { world } = shop
  await using _ = world
  const [a, b] = shop.instances
  const { data } = await createFor(world, a, { domain: 'docs.example', web_root: 'docs/public' })
  await refuses(shop, data.id, { targets: [a, b] }, 'route.web_root_unsupported')
})

test('what is being changed, or is not served, has to end first; a Cluster needs its Router [RTE-084]', async () => {
  const shop = await openShop()
  const { world } = shop
  await using _ = world
  const { db } = world.store
  const [a, b] = shop.instances
  const [first, second] = shop.routes
  const targets = [a, b]
  for (const status of ['activating', 'retiring', 'failed'] as const) {
    for (const id of [first, second]) {
      await updateRoute(db, id, { status })
      await refuses(shop, first, { targets }, 'route.reconciliation_required')
      await updateRoute(db, id, { status: 'active' })
    }
  }
  for (const id of [first, second]) {
    await updateRoute(db, id, { replaced_by_route_id: 99 })
    await refuses(shop, first, { targets }, 'route.domain_change_conflict')
    await updateRoute(db, id, { replaced_by_route_id: null })
  }
  await db.deleteFrom('node_roles').where('role', '=', 'router').execute()
  await refuses(shop, first, { targets }, 'route.router_required')
})
