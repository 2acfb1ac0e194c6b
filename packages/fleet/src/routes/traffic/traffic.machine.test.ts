import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { endGraces, fakeCall, testDomains } from '@fleet/testing'
import type { ClusterRoutes, RouterServices } from '#/clusters/api.ts'
import { nodeOf } from '#/routes/edge/world.test.ts'
import { insertRoute } from '#/routes/queries.ts'
import { CADDY, proxyScope } from '#/routes/scopes.ts'
import type { Shop } from '#/routes/pools/world.test.ts'
import { BY_BUILD, NO_CADDY, NO_TRAFFIC, servedFile, startMachines } from '#/routes/traffic/machines.test.ts'
import { BIG, LIVE, openTown, type Town } from '#/routes/traffic/town.test.ts'
import {
  readSlowly,
  startPosts,
  startStreams,
  type Streams,
  visitOnce,
} from '#/routes/traffic/visitors.test.ts'
import { addApp, create, createInstance, setTargets, startWorld, update } from '#/routes/world.test.ts'

test(
  'under 300 requests a second, kept, fresh and over HTTP/2, domain, pool and publication change and other sites come: no request is lost and no download cut, each change loads each file as often as it must, and the identical request loads none [RTX-043]',
  { skip: NO_TRAFFIC },
  async (context) => {
    await using town = await openTown(['a.example', 'next.example', 'c.example'])
    const { shop, web, reloadsOf, waited, visitors } = town
    const { world } = shop
    const [a, b] = shop.instances
    const [, second] = shop.routes
    const streams = startStreams({ web, domain: LIVE })
    const address = web.addressOf('a.example') ?? assert.fail('a.example has no address')
    const download = readSlowly({ web, domain: 'a.example', address }, '/big.bin', BIG / 6000)
    await pause(500)
    const began = performance.now()

    let route = shop.routes[0]
    const rename = async (): Promise<void> => {
      route = (await update(world, route, { domain: 'next.example' })).data.id
    }
    const domain = await reloadsOf(rename)
    assert.equal(web.addressOf('a.example'), undefined)
    assert.deepEqual(await reloadsOf(rename), {}, 'the identical change of the domain')

    const added = await reloadsOf(() => setTargets(world, route, [a, b]))
    assert.deepEqual(await reloadsOf(() => setTargets(world, route, [a, b])), {}, 'the identical set')
    await pause(300)
    const dispositions = [{ instance_id: a, route_id: second }]
    const reassigned = await reloadsOf(() => setTargets(world, route, [b], { dispositions }))
    await pause(300)

    const published = await reloadsOf(() => update(world, route, { publication: 'public' }))
    assert.deepEqual(
      await reloadsOf(() => update(world, route, { publication: 'public' })),
      {},
      'published again',
    )
    const closed = await reloadsOf(() => update(world, route, { publication: 'private' }))

    const others = await reloadsOf(async () => {
      for (const node of [shop.router, ...shop.nodes.slice(1, 2)])
        await create(world, { domain: `mail-${node.id}.internal`, node_id: node.id })
    })
    const seconds = (performance.now() - began) / 1000
    assert.equal(await download, BIG, 'the download is whole')
    await pause(300)
    const tally = await visitors.stop()
    await streams.stop()

    const total = Object.values(tally.answered).reduce((sum, count) => sum + count, 0)
    context.diagnostic(
      `${total} requests in ${seconds.toFixed(1)} s (${JSON.stringify(tally.answered)}), ${tally.repeated} repeated, ` +
        `${tally.failures.length} lost; streams ${JSON.stringify([streams.heard, streams.cuts])}; ` +
        `reloads ${JSON.stringify({ domain, added, reassigned, published, closed, others })}`,
    )
    assert.deepEqual(tally.failures, [])
    for (const [kind, count] of Object.entries(tally.answered)) assert.ok(count > 100, `${kind}: ${count}`)
    for (const page of [
      'a.example page of a',
      'next.example page of a',
      'next.example page of b',
      'c.example page of c',
    ])
      assert.ok((tally.pages.get(page) ?? 0) > 0, page)
    assert.deepEqual(waited, [31_000])
    assert.deepEqual(
      { domain, added, reassigned, published, closed, others },
      {
        domain: { 'web-1': 2, router: 2 },
        added: { 'web-2': 2, router: 1 },
        reassigned: { 'web-1': 2, router: 1 },
        published: { edge: 1 },
        closed: { edge: 1 },
        others: { router: 1, 'web-2': 1 },
      },
    )
    assertKept(town, streams, [domain, added, reassigned, others])
  },
)

/** Before 2.7 every load of the Router cuts what streams; it comes back, and nothing else ends it. */
function assertKept(
  { shop, machines }: Town,
  streams: Streams,
  changes: ReadonlyArray<Readonly<Record<string, number>>>,
): void {
  const loads = changes.reduce((sum, one) => sum + (one['router'] ?? 0), 0)
  const mayBeCut = servedFile(machines.host(shop.router)).includes('stream_close_delay') ? 0 : loads
  assert.deepEqual(streams.failures, [])
  for (const kind of ['socket', 'events'] as const) {
    assert.ok(streams.cuts[kind] <= mayBeCut, `${kind}: cut ${streams.cuts[kind]} times by ${loads} loads`)
    assert.ok(streams.heard[kind] > 20, kind)
  }
}

/** So often a request of 300 a second meets one of them on its way to the Node. */
const LOADS = 12

/** Clusters over the Routes of the town; the role of a Router is its sites alone. */
function clustersOf({ shop: { world, clusterId }, machines }: Town) {
  const { forClusters, onRouters, countInCluster } = world.routes
  const perform = async (id: number, kind: 'convergence' | 'withdrawal'): Promise<void> => {
    const session = world.deps.nodes.sessions.overTunnel(fakeCall(), await nodeOf(world, id))
    for (const step of onRouters[kind]) await step.run(session)
  }
  const clusterRoutes: ClusterRoutes = {
    ...forClusters,
    countOwned: countInCluster,
    publish: (call, change, cluster) => forClusters.publish(call, change, () => machines.publishAs(cluster)),
    settle: (call) => world.deps.names.publish(call),
  }
  const routerServices: RouterServices = {
    requireCapable: async () => undefined,
    converge: (_call, _clusterId, { id }) => perform(id, 'convergence'),
    withdraw: (_call, _clusterId, { id }) => perform(id, 'withdrawal'),
  }
  const { handlers } = testDomains({ store: world.store }, { clusterRoutes, routerServices }).clusters
  const given = { cluster: clusterId }
  return {
    setRouter: (node: number) =>
      handlers['cluster:router:set']({ call: fakeCall(), input: { ...given, node } }),
    attach: (node: number) =>
      handlers['cluster:node:attach']({ call: fakeCall(), input: { ...given, node } }),
    detach: (node: number) =>
      handlers['cluster:node:detach']({ call: fakeCall(), input: { ...given, node } }),
    update: (change: { readonly state?: 'active' | 'inactive'; readonly tld?: string }) =>
      handlers['cluster:update']({ call: fakeCall(), input: { ...given, ...change } }),
  }
}

/** What a change leaves to be done when its grace is over. */
async function finishWork({ world }: Shop): Promise<void> {
  const { db } = world.store
  await endGraces(world.store)
  for (const due of await db.selectFrom('work').select(['id', 'kind', 'payload']).execute()) {
    const kind = world.routes.workKinds.find(({ name }) => name === due.kind) ?? assert.fail(due.kind)
    await kind.run(fakeCall(), kind.payload.parse(JSON.parse(due.payload)))
    await db.deleteFrom('work').where('id', '=', due.id).execute()
  }
}

test(
  'under the same requests the Router is replaced and comes back: none is lost, a download of 20 s through the one that goes is whole, each Router loads one file, and each Node behind them one for each Router that comes or goes [CLU-022, CLU-026, RTX-043]',
  { skip: NO_TRAFFIC },
  async (context) => {
    await using town = await openTown(['a.example', 'c.example'])
    const { shop, web, reloadsOf, edge, waited, visitors } = town
    const { setRouter } = clustersOf(town)
    const earlier = web.addressOf('a.example') ?? assert.fail('a.example has no address')
    const streams = startStreams({ web, domain: LIVE })
    const change = Promise.withResolvers<void>()
    const place = { web, domain: 'a.example', address: earlier }
    const download = readSlowly(place, '/big.bin', BIG / 20_000, change.promise)
    await pause(300)
    const replaced = await reloadsOf(() => setRouter(edge.id)).finally(change.resolve)
    assert.notEqual(web.addressOf('a.example'), earlier)
    assert.deepEqual(await reloadsOf(() => setRouter(edge.id)), {}, 'the identical request')
    await pause(300)
    const back = await reloadsOf(() => setRouter(shop.router.id))
    assert.equal(web.addressOf('a.example'), earlier)
    await pause(300)
    const tally = await visitors.stop()
    assert.equal(await download, BIG, 'the download is whole')
    await streams.stop()
    assertKept(town, streams, [replaced, back])
    context.diagnostic(
      `${JSON.stringify(tally.answered)}, ${tally.repeated} repeated, reloads ${JSON.stringify([replaced, back])}`,
    )
    assert.deepEqual(tally.failures, [])
    for (const [kind, count] of Object.entries(tally.answered)) assert.ok(count > 100, `${kind}: ${count}`)
    assert.deepEqual(waited, [31_000, 31_000])
    // It trusts the one that comes before visitors do, and the one that goes for as long as they may.
    const behind = { 'web-1': 2, 'web-2': 2, 'web-3': 2 }
    assert.deepEqual(
      [replaced, back],
      [
        { edge: 1, router: 1, ...behind },
        { edge: 1, router: 1, ...behind },
      ],
    )
  },
)

test(
  'however often the Node behind a Router loads its file while requests arrive, a download through it is whole, and no form that is sent once is lost [RTX-043]',
  { skip: NO_TRAFFIC },
  async (context) => {
    await using town = await openTown(['a.example'])
    const { shop, web, reloadsOf, visitors } = town
    const [node] = shop.nodes
    assert.ok(node)
    const address = web.addressOf('a.example') ?? assert.fail('a.example has no address')
    const over = Promise.withResolvers<void>()
    const download = readSlowly({ web, domain: 'a.example', address }, '/big.bin', BIG, over.promise)
    const stopPosts = startPosts({ web, domain: 'a.example', address })
    await pause(300)
    const loaded = await reloadsOf(async () => {
      for (let at = 0; at < LOADS; at += 1) {
        await create(shop.world, { domain: `mail-${at}.internal`, node_id: node.id })
        // A server that ends a connection in order and for good gives it a second.
        await pause(at === LOADS - 1 ? 1500 : 200)
      }
    }).finally(over.resolve)
    assert.equal(await download, BIG, 'the download is whole')
    const posted = await stopPosts()
    const tally = await visitors.stop()
    context.diagnostic(
      `${JSON.stringify(posted)}, ${JSON.stringify(tally.answered)}, ${tally.repeated} repeated`,
    )
    assert.deepEqual(loaded, { 'web-1': LOADS })
    // Newer servers say that a file takes no form.
    const { 200: taken = 0, 405: refused = 0, ...lost } = posted
    assert.deepEqual(lost, {})
    assert.ok(taken + refused > 100, JSON.stringify(posted))
    assert.deepEqual(tally.failures, [])
  },
)

/** That many custom proxies on the Router, published together. */
async function serveOthers({ world, router }: Shop, count: number): Promise<void> {
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), router)
  for (let at = 0; at < count; at += 1) {
    const domain = `other-${at}.internal`
    const route = await insertRoute(world.store.db, {
      kind: 'custom_proxy',
      node_id: router.id,
      domain,
      provenance: 'explicit',
      publication: 'private',
      upstream: 'http://127.0.0.1:9',
      status: 'active',
      has_source: 1,
      has_site: 1,
      has_name: 1,
      created_at: '2026-03-01T00:00:00.000Z',
    })
    assert.ok(route)
    const leaf = { scope: proxyScope(route), names: [domain], addresses: [], owner: CADDY, ...BY_BUILD }
    await world.deps.certificates.publishLeaf(session, leaf)
  }
  await world.deps.webServer.build(session, 'app-dev')
}

test(
  'under the same requests a Node leaves its Cluster and comes back, the Cluster is switched off and on, its top-level domain changes, and 500 other sites come in one file: none is lost [CLU-018, CLU-019, CLU-025, RTX-041, RTX-043]',
  { skip: NO_TRAFFIC },
  async (context) => {
    await using town = await openTown(['a.example', 'b.example', 'c.example', 'c.shop.lan'])
    const { shop, web, waited, visitors, reloadsOf } = town
    const { world } = shop
    const clusters = clustersOf(town)
    const [, , third] = shop.routes
    const [node] = shop.nodes
    const addresses = (): ReadonlyArray<string | undefined> =>
      ['a.example', 'b.example', 'c.example'].map((domain) => web.addressOf(domain))
    const placed = addresses()
    await pause(300)
    const change = (work: () => Promise<unknown>): ReturnType<typeof reloadsOf> =>
      reloadsOf(async () => {
        await work()
        await visitors.settle()
        await finishWork(shop)
      })
    assert.ok(node)
    const left = await change(() => clusters.detach(node.id))
    assert.equal(web.addressOf('a.example'), '127.44.0.7')
    const came = await change(() => clusters.attach(node.id))
    assert.deepEqual(addresses(), placed)
    const off = await change(() => clusters.update({ state: 'inactive' }))
    assert.deepEqual(addresses(), ['127.44.0.7', '127.44.0.8', '127.44.0.9'])
    const on = await change(() => clusters.update({ state: 'active' }))
    assert.deepEqual(addresses(), placed)
    // A generated domain follows the top-level domain as another Route, with both served while the names change.
    await world.store.db
      .updateTable('routes')
      .set({ provenance: 'generated' })
      .where('id', '=', third)
      .execute()
    const renamed = await reloadsOf(() => clusters.update({ tld: 'lan' }))
    assert.deepEqual(['c.example', 'c.shop.lan'].map(web.addressOf), [undefined, placed[2]])
    assert.deepEqual(waited, [31_000])
    await pause(300)
    const others = await reloadsOf(() => serveOthers(shop, 500))
    await pause(300)
    const tally = await visitors.stop()
    context.diagnostic(
      `${JSON.stringify(tally.answered)}, ${tally.repeated} repeated, reloads ${JSON.stringify([left, came, off, on, others])}`,
    )
    assert.deepEqual(tally.failures, [])
    assert.ok((tally.pages.get('c.shop.lan page of c') ?? 0) > 0)
    assert.deepEqual(renamed, { 'web-3': 2, router: 2 })
    const one = { router: 1, 'web-1': 1 }
    const all = { ...one, 'web-2': 1, 'web-3': 1 }
    assert.deepEqual([left, came, off, on, others], [one, one, all, all, { router: 1 }])
    for (const [kind, count] of Object.entries(tally.answered)) assert.ok(count > 100, `${kind}: ${count}`)
  },
)

test(
  'a Route is active once its site and its name are there, whether its application answers or not [RTE-189]',
  { skip: NO_CADDY },
  async () => {
    await using world = await startWorld()
    const project = await addApp(world)
    await using machines = await startMachines(world, [world.node])
    const { data } = await createInstance(world, { project_id: project.id })
    const { route, domain } = data
    assert.deepEqual([data.status, route?.status], ['active', 'active'])
    const address = machines.addressOf(domain ?? '') ?? assert.fail('the domain has no address')
    const place = { web: machines, domain: domain ?? '', address }
    assert.equal(
      (await visitOnce(place, '/index.php')).status,
      502,
      'nothing runs behind the socket of the pool',
    )
  },
)
