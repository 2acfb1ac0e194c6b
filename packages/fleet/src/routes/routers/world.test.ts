import assert from 'node:assert/strict'
import { addCluster, addNode, addRole, fakeCall } from '@fleet/testing'
import type { NodeRecord } from '#/nodes/api.ts'
import { addApp, createInstance, type World } from '#/routes/world.test.ts'

export interface Office {
  readonly world: World
  readonly clusterId: number
  readonly edge: NodeRecord
  readonly spare: NodeRecord
}

/** An active Cluster of the Node of the world, a Router and one more. */
export async function office(world: World, given: { readonly lan?: boolean } = {}): Promise<Office> {
  const { store } = world
  const lan = (last: number) => (given.lan ? { lan_ip: `192.168.7.${last}` } : {})
  const edge = await addNode(store, { name: 'edge', wireguard_ip: '10.44.0.8', ...lan(8) })
  const spare = await addNode(store, { name: 'spare', wireguard_ip: '10.44.0.9' })
  if (given.lan) await store.db.updateTable('nodes').set(lan(7)).where('id', '=', world.node.id).execute()
  const cluster = await addCluster(store, { tld: 'lan', state: 'active' }, [world.node, edge, spare])
  await addRole(store, { node_id: edge.id, role: 'router' })
  return {
    world,
    clusterId: cluster.id,
    edge: await nodeOf(world, edge.id),
    spare: await nodeOf(world, spare.id),
  }
}

export async function nodeOf(world: World, id: number): Promise<NodeRecord> {
  const node = await world.deps.nodes.find(id)
  assert.ok(node)
  return node
}

export const sitesOf = (world: World, { id }: Pick<NodeRecord, 'id'>) => [
  ...(world.machines.get(id)?.sites ?? []),
]
export const leavesOf = (world: World, { id }: Pick<NodeRecord, 'id'>) => [
  ...(world.machines.get(id)?.leaves ?? []),
]

export async function shop(world: World) {
  const project = await addApp(world)
  return createInstance(world, { project_id: project.id, branch: 'main' })
}

/** The steps of the role on a Node, one after the other. */
export async function run(
  { world }: Office,
  node: NodeRecord,
  kind: 'convergence' | 'withdrawal',
): Promise<void> {
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), await nodeOf(world, node.id))
  for (const step of world.routes.onRouters[kind]) await step.run(session)
}

/** Without the 31 seconds; how often they were waited for. */
export const hasty = (world: World) => {
  const waited: number[] = []
  const { clock } = world.deps
  Object.assign(world.deps, { clock: { ...clock, sleep: async (time: number) => void waited.push(time) } })
  return waited
}
