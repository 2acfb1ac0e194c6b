import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { addNode, addRole, fakeCall } from '@fleet/testing'
import type { Call } from '#/call.ts'
import { nodeOf } from '#/routes/edge/world.test.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { addProduction, clearResidues, openShop, routeAt, type Shop } from '#/routes/pools/world.test.ts'
import { findRoute, residuesOn, updateRoute } from '#/routes/queries.ts'
import { placementsWhere } from '#/routes/routers/queries.ts'
import { routerScope } from '#/routes/scopes.ts'
import { destroy, destroyInstance, setTarget, setTargets, update } from '#/routes/world.test.ts'

/** The Cluster has an ingress: the Node `on`, or one of its own. */
async function withIngress({ world, clusterId }: Shop, on?: NodeRecord): Promise<NodeRecord> {
  const { store } = world
  const node = on ?? (await addNode(store, { name: 'edge', wireguard_ip: '10.44.0.30' }))
  await store.db.updateTable('nodes').set({ cluster_id: clusterId }).where('id', '=', node.id).execute()
  await addRole(store, { node_id: node.id, role: 'ingress' })
  return nodeOf(world, node.id)
}

const publicSitesOf = ({ world }: Shop, { id }: NodeRecord) =>
  [...(world.machines.get(id)?.sites ?? [])].filter(([place]) => place.includes(' at 0.0.0.0'))

test('a public Route stays open while its targets change, and its ingress is built once they are led to', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b, c] = shop.instances
  const ingress = await withIngress(shop)
  await update(world, shop.routes[0], { publication: 'public' })
  world.done.length = 0
  const { data } = await setTargets(world, shop.routes[0], [a, b])
  assert.deepEqual([data.publication, data.replacement_step], ['public', 'ingress-firewall'])
  const routers = world.done.indexOf('router: sites a.example b.example c.example')
  assert.ok(routers >= 0 && routers < world.done.indexOf('edge: sites a.example'), world.done.join('\n'))
  assert.deepEqual(
    world.done.filter((one) => one.startsWith('edge: ports')),
    [],
  )
  await setTargets(world, shop.routes[0], [c], {
    dispositions: [
      { instance_id: a, remove: true },
      { instance_id: b, route_id: shop.routes[1] },
    ],
  })
  assert.deepEqual(publicSitesOf(shop, ingress), [['a.example at 0.0.0.0 10.44.0.30', 'pool 10.44.0.20']])
  assert.ok(world.machines.get(ingress.id)?.isOpen)
})

test('a public Route that loses its only Instance stays public and says that it is unavailable; with the next one it leads there', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const ingress = await withIngress(shop)
  await update(world, shop.routes[1], { publication: 'public' })
  await setTargets(world, shop.routes[0], [a, b])
  const vacated = await routeAt(shop, 'b.example')
  assert.deepEqual(
    [vacated.status, vacated.publication, vacated.edge_step],
    ['pending', 'public', 'ingress-firewall'],
  )
  assert.equal(world.machines.get(shop.router.id)?.sites.get('b.example'), 'pool ')
  await setTargets(world, shop.routes[0], [a], {
    dispositions: [{ instance_id: b, route_id: shop.routes[1] }],
  })
  assert.equal((await routeAt(shop, 'b.example')).status, 'active')
  assert.equal(world.machines.get(shop.router.id)?.sites.get('b.example'), 'pool 10.44.0.8')
  assert.deepEqual(publicSitesOf(shop, ingress), [['b.example at 0.0.0.0 10.44.0.30', 'pool 10.44.0.20']])
})

test('a public Route that lost its only Instance is closed when it is removed; with offline a silent ingress keeps it, and record and answer say so [RTE-070, RTE-163, RTE-177, FW-029]', async () => {
  for (const isSilent of [false, true]) {
    const shop = await openShop()
    await using world = shop.world
    const [a, b] = shop.instances
    const ingress = await withIngress(shop)
    await update(world, shop.routes[1], { publication: 'public' })
    await setTargets(world, shop.routes[0], [a, b])
    assert.ok(world.machines.get(ingress.id)?.isOpen)
    if (isSilent) world.silent.add(ingress.id)
    const { data } = await destroy(world, shop.routes[1], isSilent)
    assert.equal(await findRoute(world.store.db, shop.routes[1]), undefined)
    assert.deepEqual(
      data.retained_on_nodes,
      isSilent ? [{ node_id: ingress.id, node: ingress.name, steps: ['caddy', 'firewall'] }] : [],
    )
    world.silent.delete(ingress.id)
    assert.deepEqual(publicSitesOf(shop, ingress).length, isSilent ? 1 : 0)
    assert.equal(world.machines.get(ingress.id)?.isOpen, isSilent)
    const residues = await world.store.db.selectFrom('route_residues').selectAll().execute()
    assert.deepEqual(
      residues.map(({ node_id, retained_steps }) => [node_id, retained_steps]),
      isSilent ? [[ingress.id, ['caddy', 'firewall']]] : [],
    )
  }
})

test('an ingress that runs one of the targets leads to that by itself, and to the Router once it has left', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const [, second] = shop.nodes
  assert.ok(second)
  const ingress = await withIngress(shop, second)
  await update(world, shop.routes[0], { publication: 'public' })
  assert.deepEqual(
    publicSitesOf(shop, ingress).map(([, leads]) => leads),
    ['pool 10.44.0.20'],
  )
  await setTargets(world, shop.routes[0], [a, b])
  assert.deepEqual(
    publicSitesOf(shop, ingress).map(([, leads]) => leads),
    ['/home/b/current/public /run/php/b.sock'],
  )
  await setTargets(world, shop.routes[0], [a], {
    dispositions: [{ instance_id: b, route_id: shop.routes[1] }],
  })
  assert.deepEqual(
    publicSitesOf(shop, ingress).map(([, leads]) => leads),
    ['pool 10.44.0.20'],
  )
})

/** `b.example`, public and without an Instance. */
async function vacated(shop: Shop) {
  const ingress = await withIngress(shop)
  const [a, b] = shop.instances
  const [, id] = shop.routes
  await update(shop.world, id, { publication: 'public' })
  await setTargets(shop.world, shop.routes[0], [a, b])
  shop.world.done.length = 0
  return { id, ingress }
}

/** What the Router has of the Route: site and certificate, and the record of them. */
const atRouter = async ({ world, router }: Shop, id: number) => {
  const { sites, leaves } = world.machines.get(router.id) ?? {}
  const placed = await placementsWhere(world.store.db, { route_id: id })
  return [sites?.has('b.example'), [...(leaves ?? [])].filter(([, names]) => names === 'b.example'), placed]
}

test('a Route that lost its only Instance leaves Router and ingress when it is led out of their Cluster [RTX-063, FW-029]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const { id, ingress } = await vacated(shop)
  const outside = await addNode(world.store, { name: 'outside', wireguard_ip: '10.44.0.40' })
  const next = await addProduction(shop, 'd', outside.id)
  world.broken.set('leaf gone', 'node.unreachable')
  await assert.rejects(setTarget(world, id, next.id), { code: 'route.node_unreachable' })
  world.broken.clear()
  const { data } = await setTarget(world, id, next.id)
  assert.deepEqual(
    [data.id, data.status, data.cluster_id, data.node_id, data.replacement_step],
    [id, 'active', null, outside.id, null],
  )
  assert.deepEqual(await atRouter(shop, id), [false, [], []])
  assert.deepEqual([publicSitesOf(shop, ingress), world.machines.get(ingress.id)?.isOpen], [[], false])
  const gone = world.done.filter((one) => /^names|^router|^edge/.test(one)).slice(0, 5)
  assert.deepEqual(gone, [
    'names a.example c.example',
    'edge: sites none',
    'edge: ports closed',
    'router: sites a.example c.example',
    `router: no leaf ${routerScope({ id })}`,
  ])
  assert.deepEqual([...world.names].toSorted(), ['a.example', 'b.example', 'c.example'])
})

test('a Route that lost its only Instance and gets another one of its Cluster answers all the time', async () => {
  const shop = await openShop()
  await using world = shop.world
  const { id } = await vacated(shop)
  const [first] = shop.nodes
  const next = await addProduction(shop, 'd', first?.id ?? 0)
  const { data } = await setTarget(world, id, next.id)
  assert.deepEqual([data.status, data.replacement_step], ['active', 'ingress-firewall'])
  assert.deepEqual(
    world.done.filter((one) => /(^router: no leaf|sites none|closed$)/.test(one)),
    [],
  )
})

test('a Route that lost its only Instance gets another domain: what answered for the old one goes, and nothing is waited for [RTX-024]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const { id, ingress } = await vacated(shop)
  await assert.rejects(update(world, id, { domain: 'a.example' }), { code: 'route.domain_conflict' })
  assert.deepEqual(world.done, [])
  const call = fakeCall()
  const { data } = await update(world, id, { domain: 'new.example' }, call)
  assert.deepEqual(
    [data.domain, data.status, data.publication, data.replacement_step, data.targets],
    ['new.example', 'pending', 'public', null, []],
  )
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['route.deleted', 'route.updated'],
  )
  assert.deepEqual(await atRouter(shop, id), [false, [], []])
  assert.deepEqual([publicSitesOf(shop, ingress), world.machines.get(ingress.id)?.isOpen], [[], false])
  assert.deepEqual([[...world.names].toSorted(), world.slept], [['a.example', 'c.example'], []])
  const [a, b] = shop.instances
  await setTargets(world, shop.routes[0], [a], { dispositions: [{ instance_id: b, route_id: data.id }] })
  assert.equal(world.machines.get(shop.router.id)?.sites.get('new.example'), 'pool 10.44.0.8')
  assert.deepEqual(publicSitesOf(shop, ingress), [['new.example at 0.0.0.0 10.44.0.30', 'pool 10.44.0.20']])
})

test('a set of a public Route ends past an ingress that does not answer, and the Route is made private then, so that the role may go to another Node [RTE-113, RTE-171]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const ingress = await withIngress(shop)
  await update(world, shop.routes[0], { publication: 'public' })
  world.silent.add(ingress.id)
  const { data } = await setTargets(world, shop.routes[0], [a, b])
  assert.deepEqual([data.target_set_step, data.failed_step, data.targets.length], [null, null, 2])
  await assert.rejects(update(world, shop.routes[0], { publication: 'private' }), {
    code: 'node.unreachable',
  })
  assert.equal((await routeAt(shop, 'a.example')).publication, 'private')
  assert.deepEqual(await world.routes.edge.domainsBehind(ingress.id), [])
})

test('a set of a public Route that waits to be opened ends past an ingress that does not answer, and the Route waits on [RTE-113, RTX-051]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const ingress = await withIngress(shop)
  await updateRoute(world.store.db, shop.routes[0], { publication: 'public' })
  world.silent.add(ingress.id)
  const { data } = await setTargets(world, shop.routes[0], [a, b])
  assert.deepEqual([data.target_set_step, data.publication, data.replacement_step], [null, 'public', null])
  world.silent.clear()
  await update(world, shop.routes[0], { publication: 'public' })
  assert.equal((await routeAt(shop, 'a.example')).edge_step, 'ingress-firewall')
})

for (const offline of [false, true])
  test(`an Instance of a public pool is removed past an ingress that does not answer${offline ? ', with the option' : ''} [RTX-030, RTE-175]`, async () => {
    const shop = await openShop()
    await using world = shop.world
    const [a, b] = shop.instances
    const ingress = await withIngress(shop)
    await setTargets(world, shop.routes[0], [a, b])
    await update(world, shop.routes[0], { publication: 'public' })
    world.silent.add(ingress.id)
    await destroyInstance(world, b, { force: offline, offline })
    assert.equal(await world.deps.instances.find(b), undefined)
    assert.equal(world.machines.get(shop.router.id)?.sites.get('a.example'), 'pool 10.44.0.7')
  })

test('a Router that does not answer is named with the way out when an Instance leaves its pool, and skipped with it [RTX-030, RTE-174, RTE-175]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  await setTargets(world, shop.routes[0], [a, b])
  world.silent.add(shop.router.id)
  await assert.rejects(destroyInstance(world, b), (error) => {
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, 'route.node_unreachable')
    assert.match(error.message, /The Router router does not answer.*--offline/)
    const { node, error_code } = error.details ?? {}
    assert.deepEqual([node, error_code], [{ id: shop.router.id, name: 'router' }, 'node.unreachable'])
    return true
  })
  await destroyInstance(world, b, { force: true, offline: true })
  assert.equal(await world.deps.instances.find(b), undefined)
})

test('a domain change of a public Route that lost its ingress after the cutover ends: what the ingress keeps of the old domain is recorded and goes when it converges, and a removal until then is told to finish the change [RTE-054, RTE-177, RTX-028, FW-029]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [route] = shop.routes
  const ingress = await withIngress(shop)
  await update(world, route, { publication: 'public' })
  const dying = {
    ...fakeCall(),
    progress: ({ step, status }: Parameters<Call['progress']>[0]) => {
      if (step !== 'cutover' || status !== 'done') return
      world.silent.add(ingress.id)
      world.broken.set('leaf', 'certificate.publication_failed')
    },
  }
  await assert.rejects(update(world, route, { domain: 'new.example' }, dying), {
    code: 'certificate.publication_failed',
  })
  world.broken.clear()
  const { id } = await routeAt(shop, 'new.example')
  await assert.rejects(destroy(world, id, true), {
    code: 'route.target_conflict',
    message: new RegExp(`fleet route:update ${id} --domain new.example`),
  })
  const { data } = await update(world, id, { domain: 'new.example' })
  assert.deepEqual([data.status, data.replaces_route_id, data.failed_step], ['active', null, null])
  assert.equal(await findRoute(world.store.db, route), undefined)
  const residues = await residuesOn(world.store.db, ingress.id)
  assert.deepEqual(
    residues.map(({ domain, retained_steps }) => [domain, retained_steps]),
    [['a.example', ['caddy', 'firewall']]],
  )
  world.silent.clear()
  assert.ok(publicSitesOf(shop, ingress).some(([place]) => place.startsWith('a.example')))
  await clearResidues(shop, ingress.id)
  assert.deepEqual(
    publicSitesOf(shop, ingress).map(([place]) => place),
    ['new.example at 0.0.0.0 10.44.0.30'],
  )
})
