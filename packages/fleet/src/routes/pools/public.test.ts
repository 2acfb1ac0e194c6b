import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addNode, addRole } from '@fleet/testing'
import { nodeOf } from '#/routes/edge/world.test.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { openShop, routeAt, type Shop } from '#/routes/pools/world.test.ts'
import { findRoute } from '#/routes/queries.ts'
import { destroy, setTargets, update } from '#/routes/world.test.ts'

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
