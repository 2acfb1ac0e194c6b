import type { InputOf } from '@fleet/contract'
import { addCluster, addNode, addRole, fakeCall, fakeRouterServices, testDomains } from '@fleet/testing'
import type { ClusterRoutes } from '#/clusters/api.ts'
import { addApp, create, createInstance, type World } from '#/routes/world.test.ts'

/** An inactive Cluster of the Node of the world and a Router; the Node serves one Instance and a custom proxy. */
export async function office(world: World, tld: string | null = null) {
  const { store } = world
  const edge = await addNode(store, { name: 'edge', wireguard_ip: '10.44.0.8' })
  const { id } = await addCluster(store, { tld }, [world.node, edge])
  await addRole(store, { node_id: edge.id, role: 'router' })
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id, branch: 'main' })
  await create(world)
  return { id, edge, route: data.route?.id ?? 0 }
}

/** Clusters over the Routes of the world; what was published as the private DNS, in the order of things. */
export function clustersOf(world: World, settle = async (): Promise<void> => undefined) {
  const { forClusters } = world.routes
  const routes: ClusterRoutes = {
    countOwned: (id) => world.routes.countInCluster(id),
    concerned: forClusters.concerned,
    replace: forClusters.replace,
    withdrawing: forClusters.withdrawing,
    store: forClusters.store,
    restore: forClusters.restore,
    moved: forClusters.moved,
    publish: (call, change, { state }) =>
      forClusters.publish(call, change, async () => void world.done.push(`names as ${state}`)),
    settle: async () => {
      world.done.push('names')
      await settle()
    },
    followRouter: (call, clusterId) => forClusters.followRouter(call, clusterId),
  }
  const fakes = { clusterRoutes: routes, routerServices: fakeRouterServices() }
  const { handlers } = testDomains({ store: world.store }, fakes).clusters
  const update = (input: InputOf<'cluster:update'>, call = fakeCall()) =>
    handlers['cluster:update']({ call, input })
  return { handlers, update }
}
