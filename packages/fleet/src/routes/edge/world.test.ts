import assert from 'node:assert/strict'
import { addCluster, addNode, addRole } from '@fleet/testing'
import type { NodeRecord } from '#/nodes/api.ts'
import { addApp, createInstance, type World } from '#/routes/world.test.ts'

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
  const project = await addApp(world)
  const { data } = await createInstance(world, {
    project_id: project.id,
    branch: 'main',
    domain: 'shop.example',
  })
  await store.db.updateTable('instances').set({ environment: 'production' }).execute()
  const found = { router: await nodeOf(world, router.id), ingress: await nodeOf(world, ingress.id) }
  return { world, clusterId, ...found, id: data.route?.id ?? 0, instanceId: data.id }
}

export async function nodeOf(world: World, id: number): Promise<NodeRecord> {
  const node = await world.parts.nodes.find(id)
  assert.ok(node)
  return node
}

export const sitesOf = ({ world }: Pick<City, 'world'>, { id }: Pick<NodeRecord, 'id'>) => [
  ...(world.machines.get(id)?.sites ?? []),
]
export const isOpen = ({ world, ingress }: City): boolean => world.machines.get(ingress.id)?.isOpen === true
