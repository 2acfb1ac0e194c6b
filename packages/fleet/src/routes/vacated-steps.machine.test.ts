import { testStepList } from '@fleet/steps/testing'
import { addNode, addRole, fakeCall, KeptWorlds } from '@fleet/testing'
import { edgeChangeOf, publishingSteps } from '#/routes/edge/publish.ts'
import { openShop, type Shop, viewOf } from '#/routes/pools/world.test.ts'
import { deleteTargets, findRoute, updateRoute } from '#/routes/queries.ts'
import { placementsWhere } from '#/routes/routers/queries.ts'
import { type VacatedWithdrawal, vacatedWithdrawal } from '#/routes/steps/vacated.ts'
import type { World } from '#/routes/world.test.ts'

const worlds = new KeptWorlds<World>()

type Given = VacatedWithdrawal & { readonly shop: Shop }

/** `b.example`, public and without its Instance. */
async function begin(): Promise<Shop> {
  const shop = await openShop()
  const { world, clusterId } = shop
  worlds.keep(world)
  const [, id] = shop.routes
  const ingress = await addNode(world.store, {
    name: 'edge',
    wireguard_ip: '10.44.0.30',
    cluster_id: clusterId,
  })
  await addRole(world.store, { node_id: ingress.id, role: 'ingress' })
  await updateRoute(world.store.db, id, { publication: 'public' })
  const change = edgeChangeOf(world.deps, fakeCall(), [id])
  for (const step of publishingSteps<typeof change>((given) => given)) await step.run(change)
  await deleteTargets(world.store.db, id)
  await updateRoute(world.store.db, id, { status: 'pending' })
  return shop
}

async function withdrawalOf(shop: Shop): Promise<Given> {
  const route = await findRoute(shop.world.store.db, shop.routes[1])
  if (!route) throw new Error('the Route is gone')
  return { shop, deps: shop.world.deps, call: fakeCall(), route }
}

testStepList<Given>('route-vacated-withdrawal', {
  list: vacatedWithdrawal,
  close: ({ shop }) => worlds.close(shop.world),
  fresh: async () => withdrawalOf(await begin()),
  view: async ({ shop }) => ({
    seen: await viewOf(shop.world),
    placed: await placementsWhere(shop.world.store.db, { route_id: shop.routes[1] }),
    step: (await findRoute(shop.world.store.db, shop.routes[1]))?.edge_step,
    open: [...shop.world.machines.values()].map(({ isOpen }) => isOpen),
  }),
  again: ({ shop }) => withdrawalOf(shop),
})
