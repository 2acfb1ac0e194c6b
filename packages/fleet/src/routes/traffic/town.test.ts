import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addNode, addRole } from '@fleet/testing'
import type { NodeRecord } from '#/nodes/api.ts'
import { nodeOf } from '#/routes/edge/world.test.ts'
import { openShop, type Shop } from '#/routes/pools/world.test.ts'
import { type Machines, serveAgain, startMachines } from '#/routes/traffic/machines.test.ts'
import { startVisitors, type Visitors, type Web } from '#/routes/traffic/visitors.test.ts'
import { create } from '#/routes/world.test.ts'

/** Bytes of `/big.bin` of each Instance. */
export const BIG = 12 * 1024 * 1024
/** The domain of a service that streams. */
export const LIVE = 'live.internal'

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

export interface Town extends AsyncDisposable {
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
export async function openTown(domains: readonly string[]): Promise<Town> {
  const shop = await openShop()
  const { world } = shop
  await using stack = new AsyncDisposableStack()
  stack.use(world)
  const { db } = world.store
  const edge = await addNode(world.store, { name: 'edge', wireguard_ip: '10.44.0.21' })
  await db.updateTable('nodes').set({ cluster_id: shop.clusterId }).where('id', '=', edge.id).execute()
  await addRole(world.store, { node_id: edge.id, role: 'ingress' })
  const profile = JSON.stringify({
    application_directory: '',
    framework: null,
    php: true,
    php_version: '8.2',
  })
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
  Object.assign(world.deps.clock, { sleep })
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
