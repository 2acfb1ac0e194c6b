import assert from 'node:assert/strict'
import { addCluster, addInstance, addNode, addProject, addRole, fakeCall } from '@fleet/testing'
import type { NodeRecord } from '#/nodes/api.ts'
import { nodeOf } from '#/routes/edge/world.test.ts'
import { addTarget, findByDomain, insertRoute, routesWhere } from '#/routes/queries.ts'
import { placeOn } from '#/routes/routers/queries.ts'
import { CADDY, routerScope } from '#/routes/scopes.ts'
import { liveScope } from '#/routes/served.ts'
import { addApp, startWorld, type World, type WorldOptions } from '#/routes/world.test.ts'
import { CADDY_UNIT } from '#/web-server/api.ts'

/** An active Cluster with a Router and Nodes for production, and an Instance on each with a Route of its own. */
export interface Shop {
  readonly world: World
  readonly projectId: number
  readonly clusterId: number
  readonly router: NodeRecord
  /** web-1, web-2, web-3. */
  readonly nodes: readonly NodeRecord[]
  /** Ids of the Instances a, b and c, on these Nodes. */
  readonly instances: readonly [number, number, number]
  /** Of `a.example`, `b.example` and `c.example`. */
  readonly routes: readonly [number, number, number]
}

export const NAMES = ['a', 'b', 'c'] as const

export async function openShop(options: WorldOptions = {}): Promise<Shop> {
  const world = await startWorld(options)
  const { store } = world
  const router = await addNode(store, { name: 'router', wireguard_ip: '10.44.0.20' })
  const second = await addNode(store, { name: 'web-2', wireguard_ip: '10.44.0.8' })
  const third = await addNode(store, { name: 'web-3', wireguard_ip: '10.44.0.9' })
  const cluster = await addCluster(store, { state: 'active' }, [world.node, router, second, third])
  await addRole(store, { node_id: router.id, role: 'router' })
  for (const { id } of [world.node, second, third]) await addRole(store, { node_id: id, role: 'app-prod' })
  const project = await addApp(world)
  const instances: number[] = []
  const routes: number[] = []
  const nodes = [world.node, await nodeOf(world, second.id), await nodeOf(world, third.id)]
  const serving = {
    world,
    projectId: project.id,
    clusterId: cluster.id,
    router: await nodeOf(world, router.id),
  }
  for (const [at, node] of nodes.entries()) {
    const name = NAMES[at] ?? ''
    const { id } = await addProduction(serving, name, node.id)
    instances.push(id)
    routes.push(await serve(serving, { id, name, node }))
  }
  const call = fakeCall()
  for (const node of [...nodes, serving.router])
    await world.deps.webServer.build(world.deps.nodes.sessions.overTunnel(call, node), 'app-dev')
  await world.deps.names.publish(call)
  world.done.length = 0
  return { ...serving, nodes, instances: three(instances), routes: three(routes) }
}

/** The Route of an Instance as its creation leaves records and Nodes, without the work: many tests begin here. */
async function serve(
  { world, projectId, clusterId, router }: Pick<Shop, 'world' | 'projectId' | 'clusterId' | 'router'>,
  { id, name, node }: { readonly id: number; readonly name: string; readonly node: NodeRecord },
): Promise<number> {
  const { db } = world.store
  const domain = `${name}.example`
  const route = await insertRoute(db, {
    kind: 'app',
    project_id: projectId,
    cluster_id: clusterId,
    domain,
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
  await addTarget(db, route.id, id)
  const leaf_scope = routerScope(route)
  await placeOn(db, { route_id: route.id, node_id: router.id, leaf_scope })
  const call = fakeCall()
  const { certificates, nodes, php } = world.deps
  const leaf = {
    names: [domain],
    addresses: [],
    owner: CADDY,
    reload: CADDY_UNIT,
    isLoadedLater: true,
  } as const
  const session = nodes.sessions.overTunnel(call, node)
  await certificates.publishLeaf(session, { ...leaf, scope: liveScope(id) })
  await certificates.publishLeaf(nodes.sessions.overTunnel(call, router), { ...leaf, scope: leaf_scope })
  await php.converge(session)
  return route.id
}

const three = ([one, two, last]: readonly number[]): readonly [number, number, number] => {
  assert.ok(one !== undefined && two !== undefined && last !== undefined)
  return [one, two, last]
}

/** An active Instance of production without a Route. */
export const addProduction = (
  { world, projectId }: Pick<Shop, 'world' | 'projectId'>,
  name: string,
  node_id: number,
) =>
  addInstance(world.store, {
    project_id: projectId,
    node_id,
    name,
    environment: 'production',
    checkout_path: `/home/${name}/releases/initial`,
    production_user: name,
    production_home: `/home/${name}`,
    profile: { application_directory: '', framework: 'laravel', php: true, php_version: '8.2' },
    selected_release: 'r1',
  })

export const addForeign = ({ world }: Pick<Shop, 'world'>) => addProject(world.store, { slug: 'other' })

/** Of every Node: what it serves, by domain. */
export const sitesOf = ({ world }: Pick<Shop, 'world'>): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...world.machines].map(([id, { sites }]) => [id, Object.fromEntries(sites)]))

/** What records and Nodes have. */
export async function viewOf(world: World): Promise<unknown> {
  return {
    nodes: [...world.machines].map(([id, { sites, leaves, pools }]) => [
      id,
      Object.fromEntries(sites),
      Object.fromEntries(leaves),
      [...pools].toSorted(),
    ]),
    names: [...world.names].toSorted(),
    routes: (await routesWhere(world.store.db)).map(({ domain, status, has_site, has_name, targets }) => [
      domain,
      status,
      [has_site, has_name],
      targets.map(({ instance_id, position, phase }) => [instance_id, position, phase]),
    ]),
    moving: await world.store.db
      .selectFrom('route_targets')
      .select(['route_id', 'instance_id', 'phase'])
      .where('phase', 'is not', null)
      .execute(),
  }
}

export async function routeAt({ world }: Pick<Shop, 'world'>, domain: string) {
  const route = await findByDomain(world.store.db, domain)
  assert.ok(route)
  return route
}

/** What a Node that is back does with what was left on it. */
export async function clearResidues({ world }: Pick<Shop, 'world'>, nodeId: number): Promise<void> {
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), await nodeOf(world, nodeId))
  assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
}
