import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { addCluster, addRole, fakeCall } from '@fleet/testing'
import { routesWhere } from '#/routes/queries.ts'
import { placementsWhere } from '#/routes/routers/queries.ts'
import { routersFor } from '#/routes/routers/serve.ts'
import { hasty, leavesOf, office, run, shop, sitesOf } from '#/routes/routers/world.test.ts'
import {
  addApp,
  createFor,
  createInstance,
  destroy,
  destroyInstance,
  startWorld,
  update,
} from '#/routes/world.test.ts'

const WEB = '10.44.0.7'
const FILES = '/home/fleet/apps/shop/default/public /run/php/orbit-app-instance-1.sock'

test('an Instance in an active Cluster is served by its Node behind the Router, each with a certificate of its own, and its name last [RTE-009, RTE-039, CLU-013, CLU-023, RTX-089, RTX-097, RTX-098]', async () => {
  await using world = await startWorld()
  const { edge, clusterId } = await office(world)
  const { data } = await shop(world)
  assert.equal(data.url, 'https://shop.lan')
  const [route] = await routesWhere(world.store.db)
  assert.deepEqual(
    [route?.node_id, route?.cluster_id, route?.generation_basis_node_id, route?.status],
    [null, clusterId, world.node.id, 'active'],
  )
  assert.deepEqual(sitesOf(world, world.node), [['shop.lan', FILES]])
  assert.deepEqual(sitesOf(world, edge), [['shop.lan', `pool ${WEB}`]])
  assert.deepEqual(leavesOf(world, edge), [['route-1-router', 'shop.lan']])
  assert.deepEqual(leavesOf(world, world.node), [['app-instance-1', 'shop.lan']])
  assert.deepEqual(await world.routes.names.list(), [
    { domain: 'shop.lan', instanceNodeId: world.node.id, clusterId },
  ])
  assert.deepEqual(
    world.done.filter((said) => !/^(php|pool|access)/.test(said)),
    [
      'leaf app-instance-1',
      'edge: leaf route-1-router',
      'sites shop.lan',
      'edge: leaf route-1-router',
    ].concat(['edge: sites shop.lan', 'names shop.lan']),
  )
})

test('a Router that is on the LAN reaches a Node by its LAN address', async () => {
  await using world = await startWorld()
  const { edge } = await office(world, { lan: true })
  await shop(world)
  assert.deepEqual(sitesOf(world, edge), [['shop.lan', 'pool 192.168.7.7']])
})

test('its removal takes name, Router and Node, and leaves no certificate [RTX-063, RTX-095]', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  const { data } = await shop(world)
  world.done.splice(0)
  await destroyInstance(world, data.id, { force: true })
  assert.deepEqual(
    world.done.filter((said) => !said.includes('pool')),
    ['sites shop.lan', 'names none', 'edge: sites none', 'sites none', 'edge: no leaf route-1-router'].concat(
      'no leaf app-instance-1',
    ),
  )
  assert.deepEqual([sitesOf(world, edge), leavesOf(world, edge), leavesOf(world, world.node)], [[], [], []])
})

test('an active Cluster without an active Router refuses an Instance before anything is stored [RTE-039, RTE-084]', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  await world.store.db
    .updateTable('node_roles')
    .set({ status: 'failed' })
    .where('node_id', '=', edge.id)
    .execute()
  await assert.rejects(shop(world), { code: 'route.router_required' })
  assert.deepEqual(await routesWhere(world.store.db), [])
})

test('a candidate has every Route with a key of its own before its one build; the earlier Router serves until the grace is over [CLU-026, RTX-043]', async () => {
  await using world = await startWorld()
  const waited = hasty(world)
  const given = await office(world)
  const { edge, spare } = given
  await shop(world)
  await addRole(world.store, { node_id: spare.id, role: 'router', status: 'provisioning' })
  world.done.splice(0)
  await run(given, spare, 'convergence')
  assert.deepEqual(world.done, ['spare: leaf route-1-router', 'sites shop.lan', 'spare: sites shop.lan'])
  assert.deepEqual(sitesOf(world, edge), sitesOf(world, spare), 'both serve')
  world.done.splice(0)
  await run(given, edge, 'withdrawal')
  assert.deepEqual(waited, [31_000])
  assert.deepEqual(world.done, ['edge: sites none', 'edge: no leaf route-1-router', 'sites shop.lan'])
  assert.deepEqual(
    (await placementsWhere(world.store.db, {})).map(({ node_id }) => node_id),
    [spare.id],
  )
  await run(given, edge, 'withdrawal')
  assert.deepEqual(waited, [31_000], 'a Router that serves nothing needs no grace')
})

test('a Route that is published while a candidate is made a Router is on both [CLU-026]', async () => {
  await using world = await startWorld()
  const { edge, spare } = await office(world)
  await addRole(world.store, { node_id: spare.id, role: 'router', status: 'provisioning' })
  await shop(world)
  assert.deepEqual(sitesOf(world, spare), sitesOf(world, edge))
  assert.equal(sitesOf(world, spare).length, 1)
})

test('a Router on the Node of the Instance reaches it over a socket, and gives its address back when it goes [RTX-048]', async () => {
  await using world = await startWorld()
  hasty(world)
  const given = await office(world)
  await shop(world)
  await addRole(world.store, { node_id: world.node.id, role: 'router', status: 'provisioning' })
  await run(given, world.node, 'convergence')
  const socket = '/run/fleet-sites/route-1-instance-1.sock'
  assert.deepEqual(sitesOf(world, world.node), [
    [`shop.lan ${socket}`, FILES],
    ['shop.lan', `pool ${socket}`],
  ])
  await run(given, world.node, 'withdrawal')
  assert.deepEqual(sitesOf(world, world.node), [['shop.lan', FILES]])
})

test('what a silent Router keeps is recorded when another takes its place, and cleared when it converges [RTE-057, RTE-177]', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  await shop(world)
  await world.routes.onRouters.leaveBehind(world.deps.nodes.sessions.overTunnel(fakeCall(), edge))
  assert.deepEqual(await placementsWhere(world.store.db, { node_id: edge.id }), [])
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), edge)
  assert.equal(await world.routes.residue.digest(edge), '1')
  assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
  assert.deepEqual([sitesOf(world, edge), leavesOf(world, edge)], [[], []])
  assert.equal(await world.routes.residue.digest(edge), undefined)
})

test('a Node that is removed with its Instance offline leaves nothing on the Router that answers [RTE-056]', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  const { data } = await shop(world)
  world.silent.add(world.node.id)
  await destroyInstance(world, data.id, { force: true, offline: true })
  assert.deepEqual([sitesOf(world, edge), leavesOf(world, edge)], [[], []])
})

test('a Router that fails keeps the name unanswered, and the identical request finishes [RTE-189]', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  const project = await addApp(world)
  world.broken.set('name', 'node.unreachable')
  const wanted = { project_id: project.id, branch: 'main' }
  await assert.rejects(createInstance(world, wanted), { code: 'node.unreachable' })
  assert.deepEqual([...world.names], [])
  world.broken.clear()
  assert.equal((await createInstance(world, wanted)).data.status, 'active')
  assert.equal(sitesOf(world, edge).length, 1)
})

test('a dead Router is the Node of the error, and offline leaves it to its own convergence [RTE-174, RTE-175, RTE-177]', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  const { data } = await shop(world)
  world.silent.add(edge.id)
  await assert.rejects(destroyInstance(world, data.id, { force: true }), (error) => {
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, 'route.node_unreachable')
    assert.match(error.message, /^The Router edge does not answer.*doctor:run --node \d+.*--offline/)
    assert.deepEqual(error.details?.['node'], { id: edge.id, name: 'edge' })
    return true
  })
  const removal = await destroyInstance(world, data.id, { force: true, offline: true })
  assert.deepEqual(removal.data.retained_on_nodes, [
    { node_id: edge.id, node: 'edge', path: null, database: null },
  ])
  assert.deepEqual([await routesWhere(world.store.db), [...world.names]], [[], []])
  assert.deepEqual(leavesOf(world, world.node), [])
  assert.deepEqual(leavesOf(world, edge), [['route-1-router', 'shop.lan']])

  world.silent.clear()
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), edge)
  assert.equal(await world.routes.residue.converge(session, { force: true }), 'applied')
  assert.deepEqual([sitesOf(world, edge), leavesOf(world, edge)], [[], []])
})

test('a Route with a web root goes offline past its dead Router [RTE-175, RTE-177]', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  const { data } = await shop(world)
  const admin = await createFor(world, data.id, { web_root: 'admin/public' })
  world.silent.add(edge.id)
  await assert.rejects(destroy(world, admin.data.id), /The Router edge does not answer/)
  const { retained_on_nodes: retained } = (await destroy(world, admin.data.id, true)).data
  assert.deepEqual(
    retained.map(({ node, steps }) => [node, steps.join(' ')]),
    [['edge', 'caddy certificate']],
  )
  assert.deepEqual(
    (await routesWhere(world.store.db)).map(({ domain }) => domain),
    ['shop.lan'],
  )
})

test('a gateway that ends within the grace of a Router that goes has taken no site from it [CLU-026]', async () => {
  await using world = await startWorld()
  hasty(world)
  const { edge } = await office(world)
  await shop(world)
  const call = fakeCall({ signal: AbortSignal.abort() })
  const session = world.deps.nodes.sessions.overTunnel(call, edge)
  const [grace] = world.routes.onRouters.withdrawal
  assert.ok(grace)
  await assert.rejects(async () => grace.run(session), { code: 'http.draining' })
  assert.deepEqual(
    (await placementsWhere(world.store.db, { node_id: edge.id })).map(({ has_site }) => has_site),
    [1],
  )
})

test('a replacement that never served goes offline past its dead Router, and what it replaces serves on [RTE-175, RTE-177]', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id, domain: 'shop.example' })
  world.broken.set('name', 'app-dev.projection_busy')
  await assert.rejects(update(world, data.route?.id ?? 0, { domain: 'new.example' }), {
    code: 'app-dev.projection_busy',
  })
  world.broken.clear()
  world.silent.add(edge.id)
  const next = (await routesWhere(world.store.db)).find((one) => one.replaces_route_id !== null)
  assert.ok(next)
  await assert.rejects(destroy(world, next.id), { code: 'route.node_unreachable' })
  const { retained_on_nodes: retained } = (await destroy(world, next.id, true)).data
  assert.deepEqual(
    retained.map(({ node, steps }) => [node, steps.join(' ')]),
    [['edge', 'caddy certificate']],
  )
  assert.deepEqual(
    (await routesWhere(world.store.db)).map(({ domain, replaced_by_route_id }) => [
      domain,
      replaced_by_route_id,
    ]),
    [['shop.example', null]],
  )
  assert.deepEqual([...world.names], ['shop.example'])
})

test('what a Route with a web root opened is closed when the Node that was dead converges [SRC-001]', async () => {
  await using world = await startWorld()
  const { data } = await shop(world)
  const { data: admin } = await createFor(world, data.id, { web_root: 'admin/public' })
  assert.deepEqual(world.machine.opened.get(data.checkout_path), ['admin/public', 'public'])
  world.answers = false
  await destroy(world, admin.id, true)
  assert.deepEqual(world.machine.opened.get(data.checkout_path), ['admin/public', 'public'])
  world.answers = true
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  await world.routes.residue.converge(session, { force: true })
  assert.deepEqual(world.machine.opened.get(data.checkout_path), ['public'])
})

test('a creation that ends before its site leaves no certificate on the Router when its Instance goes, also with a silent Router [RTX-037, RTE-175]', async () => {
  for (const isSilent of [false, true]) {
    await using world = await startWorld()
    const { edge } = await office(world)
    world.broken.set('site', 'app-dev.caddy_config_failed')
    await assert.rejects(shop(world))
    assert.deepEqual(
      leavesOf(world, edge).map(([scope]) => scope),
      ['route-1-router'],
    )
    world.broken.clear()
    const [instance] = await world.store.db.selectFrom('instances').select('id').execute()
    if (isSilent) world.silent.add(edge.id)
    await destroyInstance(world, instance?.id ?? 0, { force: true, offline: isSilent })
    if (isSilent) {
      const residues = await world.store.db.selectFrom('route_residues').selectAll().execute()
      assert.deepEqual(
        residues.map(({ node_id, leaf_scope }) => [node_id, leaf_scope]),
        [[edge.id, 'route-1-router']],
      )
    } else assert.deepEqual(leavesOf(world, edge), [])
    assert.deepEqual(await placementsWhere(world.store.db, {}), [])
  }
})

test('a Route of a Cluster without a Router names both, and one of a Node needs none', async () => {
  await using world = await startWorld()
  const { id: cluster_id } = await addCluster(world.store, { state: 'active' }, [world.node])
  await assert.rejects(routersFor(world.deps, { id: 5, cluster_id }), {
    code: 'route.router_required',
    details: { route_id: 5, cluster_id },
  })
  assert.deepEqual(await routersFor(world.deps, { id: 5, cluster_id: null }), [])
})
