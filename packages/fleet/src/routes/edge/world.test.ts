import assert from 'node:assert/strict'
import { addCluster, addInstance, addNode, addRole, fakeCall } from '@fleet/testing'
import type { NodeRecord } from '#/nodes/api.ts'
import { addTarget, insertRoute } from '#/routes/queries.ts'
import { placeOn } from '#/routes/routers/queries.ts'
import { CADDY, routerScope } from '#/routes/scopes.ts'
import { liveScope } from '#/routes/served.ts'
import { addApp, type World } from '#/routes/world.test.ts'
import { CADDY_UNIT } from '#/web-server/api.ts'

export interface City {
  readonly world: World
  readonly clusterId: number
  readonly router: NodeRecord
  readonly ingress: NodeRecord
  /** The own Route of the Instance, not public yet. */
  readonly id: number
  readonly instanceId: number
}

export type CityOptions = {
  readonly lan?: true
  readonly ingress?: 'active' | 'provisioning' | 'failed' | 'none' | 'router'
}

/** An active Cluster of the Node of the world, a Router and an ingress, with an Instance of production at `shop.example`. */
export async function city(world: World, given: CityOptions = {}): Promise<City> {
  const { store } = world
  const lan = (last: number) => (given.lan ? { lan_ip: `192.168.7.${last}` } : {})
  const router = await addNode(store, { name: 'router', wireguard_ip: '10.44.0.8', ...lan(8) })
  const edge = await addNode(store, { name: 'edge', wireguard_ip: '10.44.0.9', ...lan(9) })
  const { id: clusterId } = await addCluster(store, { tld: 'lan', state: 'active' }, [
    world.node,
    router,
    edge,
  ])
  await addRole(store, { node_id: router.id, role: 'router' })
  const ingress = given.ingress === 'router' ? router : edge
  const status = given.ingress === 'router' ? 'active' : (given.ingress ?? 'active')
  if (status !== 'none')
    await addRole(store, {
      node_id: ingress.id,
      role: 'ingress',
      status,
      ...(status === 'failed' ? { failed_step: 'converge:packages' } : {}),
    })
  const { id, instanceId } = await served(world, { clusterId, routerId: router.id })
  const found = { router: await nodeOf(world, router.id), ingress: await nodeOf(world, ingress.id) }
  return { world, clusterId, ...found, id, instanceId }
}

/** The Route of an Instance as its creation leaves records and Nodes, without the work: many tests begin here. */
async function served(
  world: World,
  { clusterId, routerId }: { readonly clusterId: number; readonly routerId: number },
): Promise<{ readonly id: number; readonly instanceId: number }> {
  const { store } = world
  const { db } = store
  const project = await addApp(world)
  const checkout_path = '/home/fleet/apps/shop/default'
  const instance = await addInstance(store, {
    project_id: project.id,
    node_id: world.node.id,
    name: 'default',
    environment: 'production',
    selected_release: '20261123-1',
    checkout_path,
  })
  const route = await insertRoute(db, {
    kind: 'app',
    project_id: project.id,
    cluster_id: clusterId,
    domain: 'shop.example',
    provenance: 'explicit',
    publication: 'private',
    status: 'active',
    has_source: 1,
    has_site: 1,
    has_name: 1,
    php_version: '8.2',
    created_at: '2026-03-01T00:00:00.000Z',
  })
  assert.ok(route)
  await addTarget(db, route.id, instance.id)
  const calls = fakeCall()
  for (const nodeId of [world.node.id, routerId]) {
    const session = world.deps.nodes.sessions.overTunnel(calls, await nodeOf(world, nodeId))
    const scope = nodeId === routerId ? routerScope(route) : liveScope(instance.id)
    const leaf = {
      scope,
      names: [route.domain],
      addresses: [],
      owner: CADDY,
      reload: CADDY_UNIT,
      isLoadedLater: true,
    } as const
    await world.deps.certificates.publishLeaf(session, leaf)
    if (nodeId === routerId) await placeOn(db, { route_id: route.id, node_id: nodeId, leaf_scope: scope })
    await world.deps.webServer.build(session, 'app-dev')
  }
  await world.deps.names.publish(calls)
  return { id: route.id, instanceId: instance.id }
}

export async function nodeOf(world: World, id: number): Promise<NodeRecord> {
  const node = await world.deps.nodes.find(id)
  assert.ok(node)
  return node
}

export const sitesOf = ({ world }: Pick<City, 'world'>, { id }: Pick<NodeRecord, 'id'>) => [
  ...(world.machines.get(id)?.sites ?? []),
]
export const isOpen = ({ world, ingress }: City): boolean => world.machines.get(ingress.id)?.isOpen === true
