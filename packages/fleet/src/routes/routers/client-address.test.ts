import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { addRole, endGraces, fakeCall } from '@fleet/testing'
import type { NodeRecord } from '#/nodes/api.ts'
import { city } from '#/routes/edge/world.test.ts'
import { openShop } from '#/routes/pools/world.test.ts'
import { updateRoute } from '#/routes/queries.ts'
import { hasty, office, run, shop } from '#/routes/routers/world.test.ts'
import { clustersOf, office as inactiveOffice } from '#/routes/routers/office.test.ts'
import { routeSites } from '#/routes/sites.ts'
import { addApp, createInstance, setTargets, startWorld, update, type World } from '#/routes/world.test.ts'

type Trusts = Readonly<Record<string, readonly string[]>>

/** Whom each site of a Node trusts, as its last build had it, by source and domain; and how often each Node was built. */
function watching(world: World) {
  const trusted = new Map<number, Trusts>()
  const first = new Map<string, readonly string[]>()
  const builds: string[] = []
  const { build } = world.deps.webServer
  Object.assign(world.deps.webServer, {
    build: async (...given: Parameters<typeof build>) => {
      const { node } = given[0]
      const sites = await routeSites(world.deps, node)
      const outcome = await build(...given)
      builds.push(node.name)
      for (const { domain, trusts = [] } of sites)
        if (!first.has(`${node.id} ${domain}`)) first.set(`${node.id} ${domain}`, trusts)
      trusted.set(
        node.id,
        Object.fromEntries(
          sites.map(({ source, domain, trusts = [] }) => [`${source} ${domain}`, trusts] as const),
        ),
      )
      return outcome
    },
  } satisfies Partial<World['deps']['webServer']>)
  return {
    of: ({ id }: Pick<NodeRecord, 'id'>): Trusts => trusted.get(id) ?? {},
    /** Of the site of a domain when it came to the Node. */
    firstOf: ({ id }: Pick<NodeRecord, 'id'>, domain: string) => first.get(`${id} ${domain}`),
    /** Nodes that were built since the last time, in order. */
    builds: () => builds.splice(0),
  }
}

test('a site behind a Router trusts the address from which that one leads to it, from its first build on, and the Router trusts nobody [RTX-056]', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  const seen = watching(world)
  await shop(world)
  assert.deepEqual(seen.of(world.node), { 'app-dev shop.lan': ['10.44.0.8'] })
  assert.deepEqual(seen.of(edge), { 'router shop.lan': [] })
  assert.deepEqual(seen.builds(), ['web-1', 'edge'], 'one build for each')
})

test('of two that are on the LAN it is that address, of any other Router the one of the tunnel [RTX-056]', async () => {
  await using world = await startWorld()
  const given = await office(world, { lan: true })
  const seen = watching(world)
  await shop(world)
  assert.deepEqual(seen.of(world.node), { 'app-dev shop.lan': ['192.168.7.8'] })
  await addRole(world.store, { node_id: given.spare.id, role: 'router', status: 'provisioning' })
  await run(given, given.spare, 'convergence')
  assert.deepEqual(seen.of(world.node), { 'app-dev shop.lan': ['10.44.0.9', '192.168.7.8'] })
})

test('a candidate is trusted before it serves, and what it replaces until it does no more: one build of the Node for each [RTX-056, CLU-026]', async () => {
  await using world = await startWorld()
  hasty(world)
  const given = await office(world)
  await shop(world)
  const seen = watching(world)
  await addRole(world.store, { node_id: given.spare.id, role: 'router', status: 'provisioning' })
  await run(given, given.spare, 'convergence')
  assert.deepEqual(seen.builds(), ['web-1', 'spare'])
  assert.deepEqual(seen.of(world.node), { 'app-dev shop.lan': ['10.44.0.8', '10.44.0.9'] })
  await run(given, given.edge, 'withdrawal')
  assert.deepEqual(seen.builds(), ['edge', 'web-1'])
  assert.deepEqual(seen.of(world.node), { 'app-dev shop.lan': ['10.44.0.9'] })
})

test('a Router that comes while a Route is published is trusted in the build that serves it', async () => {
  await using world = await startWorld()
  const { edge, spare } = await office(world)
  const { publishLeaf } = world.deps.certificates
  let isComing = true
  Object.assign(world.deps.certificates, {
    publishLeaf: async (...given: Parameters<typeof publishLeaf>) => {
      const published = await publishLeaf(...given)
      if (given[0].node.id === edge.id && isComing) {
        isComing = false
        await addRole(world.store, { node_id: spare.id, role: 'router', status: 'provisioning' })
      }
      return published
    },
  } satisfies Partial<World['deps']['certificates']>)
  const seen = watching(world)
  await shop(world)
  assert.deepEqual(seen.firstOf(world.node, 'shop.lan'), ['10.44.0.8', '10.44.0.9'])
})

test('a dead Router is trusted no longer once another one took its place', async () => {
  await using world = await startWorld()
  const { edge } = await office(world)
  await shop(world)
  const seen = watching(world)
  world.silent.add(edge.id)
  await world.routes.onRouters.leaveBehind(world.deps.nodes.sessions.overTunnel(fakeCall(), edge))
  assert.deepEqual(seen.of(world.node), { 'app-dev shop.lan': [] })
})

test('a Router is changed whatever is the matter with a Node behind it: one that is dead, or whose web server takes no file, is passed over', async () => {
  await using world = await startWorld()
  hasty(world)
  const given = await office(world)
  await shop(world)
  await addRole(world.store, { node_id: given.spare.id, role: 'router', status: 'provisioning' })
  world.silent.add(world.node.id)
  const seen = watching(world)
  await run(given, given.spare, 'convergence')
  assert.deepEqual(seen.builds(), ['spare'])
  world.silent.clear()
  const { build } = world.deps.webServer
  const failing = (details: Readonly<Record<string, string>>) =>
    Object.assign(world.deps.webServer, {
      build: async (...[session, publisher]: Parameters<typeof build>) => {
        if (session.node.id !== world.node.id) return build(session, publisher)
        throw fail('app-dev.caddy_config_failed', { details })
      },
    } satisfies Partial<World['deps']['webServer']>)
  failing({ stage: 'reload' })
  await run(given, given.spare, 'convergence')
  for (const stage of ['connect', 'lock']) {
    failing({ stage })
    await assert.rejects(run(given, given.spare, 'convergence'), { code: 'app-dev.caddy_config_failed' })
  }
})

test('a Router in front of an Instance of its own Node trusts the other one, which meets it on the way there; the socket has no list', async () => {
  await using world = await startWorld()
  const given = await office(world)
  await shop(world)
  const seen = watching(world)
  await addRole(world.store, { node_id: world.node.id, role: 'router', status: 'provisioning' })
  await run(given, world.node, 'convergence')
  assert.deepEqual(seen.of(world.node), { 'router shop.lan': ['10.44.0.8'], 'app-dev shop.lan': [] })
})

test('another domain is served with the Routers trusted before the first of its visitors comes, with as many builds as before', async () => {
  await using world = await startWorld()
  await office(world)
  const { id: project_id } = await addApp(world)
  const { data } = await createInstance(world, { project_id, domain: 'shop.example' })
  const seen = watching(world)
  await update(world, data.route?.id ?? 0, { domain: 'next.example' })
  assert.deepEqual(seen.firstOf(world.node, 'next.example'), ['10.44.0.8'])
  assert.deepEqual(seen.builds(), ['web-1', 'edge', 'edge', 'web-1'])
})

test('an Instance that comes to a Route which no Router has trusts the one that will lead to it', async () => {
  const shopOf = await openShop()
  await using world = shopOf.world
  const { db } = world.store
  const [a, b] = shopOf.instances
  const [first, second] = shopOf.routes
  await setTargets(world, first, [a, b])
  await updateRoute(db, second, { has_site: 0, has_name: 0, has_source: 0 })
  await db.deleteFrom('route_routers').where('route_id', '=', second).execute()
  const seen = watching(world)
  await setTargets(world, first, [a], { dispositions: [{ instance_id: b, route_id: second }] })
  const [, node] = shopOf.nodes
  assert.deepEqual(node && seen.firstOf(node, 'b.example'), ['10.44.0.20'])
})

test('Nodes that enter a Cluster trust its Router before a name leads there, and until its grace is over when they leave it', async () => {
  await using world = await startWorld()
  const { id } = await inactiveOffice(world)
  const seen = watching(world)
  await clustersOf(world).update({ cluster: id, state: 'active' })
  const trusting = { 'app-dev shop.test': ['10.44.0.8'], 'custom-proxy mail.internal': [] }
  assert.deepEqual([seen.of(world.node), seen.builds()], [trusting, ['web-1', 'edge']])
  await clustersOf(world).update({ cluster: id, state: 'inactive' })
  assert.deepEqual([seen.of(world.node), seen.builds()], [trusting, []])
  await endGraces(world.store)
  const [due] = await world.store.db.selectFrom('work').select(['kind', 'payload']).execute()
  const kind = world.routes.workKinds.find(({ name }) => name === due?.kind)
  await kind?.run(fakeCall(), kind.payload.parse(JSON.parse(due?.payload ?? '')))
  assert.deepEqual(seen.of(world.node), { ...trusting, 'app-dev shop.test': [] })
  assert.deepEqual(seen.builds(), ['edge', 'web-1'])
})

test('a Router that goes within the grace of a Node which left its Cluster is not trusted there any more either', async () => {
  await using world = await startWorld()
  hasty(world)
  const { id, edge } = await inactiveOffice(world)
  const { update: change } = clustersOf(world)
  await change({ cluster: id, state: 'active' })
  await change({ cluster: id, state: 'inactive' })
  const seen = watching(world)
  const router = await world.deps.nodes.find(edge.id)
  const session = router && world.deps.nodes.sessions.overTunnel(fakeCall(), router)
  for (const step of world.routes.onRouters.withdrawal) if (session) await step.run(session)
  assert.deepEqual(seen.of(world.node)['app-dev shop.test'], [])
})

test('a Router trusts the ingress of its Cluster for as long as that one may lead visitors to it, on the LAN where both are there [RTX-056]', async () => {
  for (const [options, address] of [
    [{}, '10.44.0.9'],
    [{ lan: true }, '192.168.7.9'],
  ] as const) {
    await using world = await startWorld()
    const { router, ingress, clusterId } = await city(world, options)
    const seen = watching(world)
    await world.routes.edge.followIngress(fakeCall(), clusterId)
    assert.deepEqual([seen.of(router), seen.builds()], [{ 'router shop.example': [address] }, ['router']])
    const roles = world.store.db.updateTable('node_roles').where('node_id', '=', ingress.id)
    await roles.set({ status: 'removing' }).execute()
    await world.routes.edge.followIngress(fakeCall(), clusterId)
    assert.deepEqual(seen.of(router), { 'router shop.example': [] })
  }
})

test('an ingress that is the Router, or one of another Cluster, is not trusted', async () => {
  await using world = await startWorld()
  const { router, clusterId } = await city(world, { ingress: 'router' })
  const seen = watching(world)
  await world.routes.edge.followIngress(fakeCall(), clusterId)
  assert.deepEqual(seen.of(router), { 'router shop.example': [] })
})

test('an ingress that runs the Instance itself trusts the Router, which leads private visitors to its public site [RTX-056, RTX-057]', async () => {
  await using world = await startWorld()
  const { id, ingress, instanceId } = await city(world)
  await world.store.db
    .updateTable('instances')
    .set({ node_id: ingress.id })
    .where('id', '=', instanceId)
    .execute()
  const seen = watching(world)
  await update(world, id, { publication: 'public' })
  assert.deepEqual(seen.of(ingress), { 'ingress shop.example': ['10.44.0.8'] })
})

test('the removal of a Node that was the ingress leaves work that ends the trust in its address; that of any other leaves none', async () => {
  await using world = await startWorld()
  const { router, ingress } = await city(world)
  const { db } = world.store
  const kinds = async () => (await db.selectFrom('work').select('kind').execute()).map(({ kind }) => kind)
  await world.routes.forNodes.followRemoval(db, router)
  assert.deepEqual(await kinds(), [])
  await world.routes.forNodes.followRemoval(db, ingress)
  assert.deepEqual(await kinds(), ['route:follow-ingress'])
  const seen = watching(world)
  await db.deleteFrom('node_roles').where('node_id', '=', ingress.id).execute()
  const kind = world.routes.workKinds.find(({ name }) => name === 'route:follow-ingress')
  await kind?.run(fakeCall(), { cluster_id: router.cluster_id })
  assert.deepEqual(seen.of(router), { 'router shop.example': [] })
})

test('a Node with another LAN address is trusted there, and leads and is led there: all that it concerns is built once', async () => {
  await using world = await startWorld()
  const { router, ingress } = await city(world)
  const seen = watching(world)
  const setLan = (id: number, lan_ip: string) =>
    world.store.db.updateTable('nodes').set({ lan_ip }).where('id', '=', id).execute()
  for (const [node, last] of [
    [world.node, 7],
    [router, 8],
    [ingress, 9],
  ] as const) {
    await setLan(node.id, `192.168.7.${last}`)
    await world.routes.forNodes.followLan(fakeCall(), node)
    assert.deepEqual(seen.builds().toSorted(), ['edge', 'router', 'web-1'], node.name)
  }
  assert.deepEqual(seen.of(world.node), { 'app-dev shop.example': ['192.168.7.8'] })
  assert.deepEqual(seen.of(router), { 'router shop.example': ['192.168.7.9'] })
})
