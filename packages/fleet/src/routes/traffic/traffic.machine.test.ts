import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { addNode, addRole, fakeCall, testDomains } from '@fleet/testing'
import type { ClusterRoutes, RouterServices } from '#/clusters/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { nodeOf } from '#/routes/edge/world.test.ts'
import { openShop, type Shop } from '#/routes/pools/world.test.ts'
import {
  type Machines,
  NO_CADDY,
  servedFile,
  serveAgain,
  startMachines,
} from '#/routes/traffic/machines.test.ts'
import {
  readSlowly,
  startStreams,
  startVisitors,
  type Visitors,
  visitOnce,
  type Web,
} from '#/routes/traffic/visitors.test.ts'
import { addApp, create, createInstance, setTargets, startWorld, update } from '#/routes/world.test.ts'

const BIG = 12 * 1024 * 1024
const LIVE = 'live.internal'

/** A service of somebody's: WebSocket and events that say something ten times a second. */
async function startLive(): Promise<Server & { readonly port: number }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write('data: tick\n\n'), 100)
    response.on('close', () => clearInterval(timer))
  })
  server.on('upgrade', (_request, socket) => {
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
    )
    // A text frame of one character.
    const timer = setInterval(() => socket.write(Buffer.from([0x81, 1, 0x74])), 100)
    socket.on('error', () => undefined).on('close', () => clearInterval(timer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A listening TCP server has one.
  return Object.assign(server, { port })
}

interface Town extends AsyncDisposable {
  readonly shop: Shop
  readonly machines: Machines
  /** How long changes waited for resolvers, in milliseconds. */
  readonly waited: readonly number[]
  /** The ingress. */
  readonly edge: NodeRecord
  readonly web: Web
  readonly visitors: Visitors
  /** What each Node has loaded since the last one. */
  reloadsOf(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>>
}

/** The shop on real web servers, with an ingress, a service that streams, and visitors of these domains. */
async function openTown(domains: readonly string[]): Promise<Town> {
  const shop = await openShop()
  const { world } = shop
  await using stack = new AsyncDisposableStack()
  stack.use(world)
  const { db } = world.store
  const edge = await addNode(world.store, { name: 'edge', wireguard_ip: '10.44.0.21' })
  await db.updateTable('nodes').set({ cluster_id: shop.clusterId }).where('id', '=', edge.id).execute()
  await addRole(world.store, { node_id: edge.id, role: 'ingress' })
  const profile = JSON.stringify({ application_directory: '', framework: null, php: false })
  await db
    .updateTable('instances')
    .set({ profile: JSON.parse(profile) })
    .execute()
  const ingress = await nodeOf(world, edge.id)
  const nodes = [...shop.nodes, shop.router, ingress]
  const machines = stack.use(await startMachines(world, nodes))
  for (const [at, node] of shop.nodes.entries()) {
    const name = 'abc'[at] ?? ''
    machines.host(node).write(`home/${name}/current/public/page.txt`, `page of ${name}`)
    machines.host(node).write(`home/${name}/current/public/big.bin`, 'x'.repeat(BIG))
  }
  await serveAgain(world, nodes)
  const live = await startLive()
  stack.defer(() => {
    live.closeAllConnections()
    live.close()
  })
  await create(world, { domain: LIVE, node_id: shop.router.id, upstream: `http://127.0.0.1:${live.port}` })
  const visitors = startVisitors(machines, domains)
  stack.defer(async () => {
    await visitors.stop()
  })
  const waited: number[] = []
  const sleep = (milliseconds: number): Promise<void> => {
    waited.push(milliseconds)
    return visitors.settle()
  }
  Object.assign(world.parts.clock, { sleep })
  const owned = stack.move()
  return {
    shop,
    machines,
    edge: ingress,
    waited,
    web: machines,
    visitors,
    reloadsOf: async (work) => {
      const before = machines.reloads()
      await work()
      const after = Object.entries(machines.reloads()).map(
        ([name, count]) => [name, count - (before[name] ?? 0)] as const,
      )
      return Object.fromEntries(after.filter(([, count]) => count > 0))
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

test(
  'under 300 requests a second, kept, fresh and over HTTP/2, domain, pool and publication change and other sites come: no request is lost and no download cut, each change loads each file as often as it must, and the identical request loads none [RTX-043]',
  { skip: NO_CADDY },
  async (context) => {
    await using town = await openTown(['a.example', 'next.example', 'c.example'])
    const { shop, web, machines, reloadsOf, waited, visitors } = town
    const { world } = shop
    const [a, b] = shop.instances
    const [, second] = shop.routes
    const streams = startStreams({ web, domain: LIVE })
    const address = web.addressOf('a.example') ?? assert.fail('a.example has no address')
    const download = readSlowly({ web, domain: 'a.example', address }, '/big.bin')
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
    // Before 2.7 every load cuts them; they come back, and nothing else ends them.
    const loads = [domain, added, reassigned, others].reduce((sum, one) => sum + (one['router'] ?? 0), 0)
    const mayBeCut = servedFile(machines.host(shop.router)).includes('stream_close_delay') ? 0 : loads
    assert.deepEqual(streams.failures, [])
    for (const kind of ['socket', 'events'] as const) {
      assert.ok(streams.cuts[kind] <= mayBeCut, `${kind}: cut ${streams.cuts[kind]} times by ${loads} loads`)
      assert.ok(streams.heard[kind] > 20, kind)
    }
  },
)

/** `cluster:router:set` over the Routes of the town; the role of a Router is its sites alone. */
function routerSetOf({ world, clusterId }: Shop): (node: number) => Promise<unknown> {
  const { forClusters, onRouters, countInCluster } = world.routes
  const perform = async (id: number, kind: 'convergence' | 'withdrawal'): Promise<void> => {
    const session = world.parts.nodes.sessions.overTunnel(fakeCall(), await nodeOf(world, id))
    for (const step of onRouters[kind]) await step.run(session)
  }
  const clusterRoutes: ClusterRoutes = {
    ...forClusters,
    countOwned: countInCluster,
    publish: () => assert.fail('the scope of no Route changes'),
    settle: (call) => world.parts.names.publish(call),
  }
  const routerServices: RouterServices = {
    requireCapable: async () => undefined,
    converge: (_call, _clusterId, { id }) => perform(id, 'convergence'),
    withdraw: (_call, _clusterId, { id }) => perform(id, 'withdrawal'),
  }
  const { handlers } = testDomains({ store: world.store }, { clusterRoutes, routerServices }).clusters
  return (node) => handlers['cluster:router:set']({ call: fakeCall(), input: { cluster: clusterId, node } })
}

test(
  'under the same requests the Router is replaced and comes back: none is lost, and each Router loads one file [CLU-022, CLU-026, RTX-043]',
  { skip: NO_CADDY },
  async (context) => {
    await using town = await openTown(['a.example', 'c.example'])
    const { shop, web, reloadsOf, edge, waited, visitors } = town
    const setRouter = routerSetOf(shop)
    const earlier = web.addressOf('a.example')
    await pause(300)
    const replaced = await reloadsOf(() => setRouter(edge.id))
    assert.notEqual(web.addressOf('a.example'), earlier)
    assert.deepEqual(await reloadsOf(() => setRouter(edge.id)), {}, 'the identical request')
    await pause(300)
    const back = await reloadsOf(() => setRouter(shop.router.id))
    assert.equal(web.addressOf('a.example'), earlier)
    await pause(300)
    const tally = await visitors.stop()
    context.diagnostic(
      `${JSON.stringify(tally.answered)}, ${tally.repeated} repeated, reloads ${JSON.stringify([replaced, back])}`,
    )
    assert.deepEqual(tally.failures, [])
    for (const [kind, count] of Object.entries(tally.answered)) assert.ok(count > 100, `${kind}: ${count}`)
    assert.deepEqual(waited, [31_000, 31_000])
    assert.deepEqual(
      [replaced, back],
      [
        { edge: 1, router: 1 },
        { edge: 1, router: 1 },
      ],
    )
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
