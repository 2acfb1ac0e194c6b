import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCluster, addNode, addRole, fakeCall } from '@fleet/testing'
import { appRoutes, deleteTargets, updateRoute } from '#/routes/queries.ts'
import { transfer, twoNodes } from '#/routes/move-world.test.ts'
import { openShop, viewOf } from '#/routes/pools/world.test.ts'
import { clustersOf, office } from '#/routes/routers/office.test.ts'
import {
  addApp,
  createFor,
  createInstance,
  setTarget,
  setTargets,
  startWorld,
  type World,
} from '#/routes/world.test.ts'

/** Runs the work once, before the first transaction but `earlier`: what it stores was planned by then. */
function beforeStoring(world: World, work: () => Promise<unknown>, earlier = 0): void {
  const { store } = world
  const { transaction } = store
  let begun = 0
  const hooked: typeof transaction = async (inner) => {
    begun += 1
    if (begun === earlier + 1) await work()
    return transaction(inner)
  }
  Object.assign(store, { transaction: hooked })
}

const domains = async ({ store }: World) => (await appRoutes(store.db)).map(({ domain }) => domain)

const clusterTld = ({ store }: World, tld: string) => store.db.updateTable('clusters').set({ tld }).execute()
const nodeTld = ({ store, node }: World, tld: string) =>
  store.db.updateTable('nodes').set({ tld }).where('id', '=', node.id).execute()

const refused = { code: 'route.busy' }

test('an Instance whose domain was planned below a top-level domain that its Cluster or Node has no more is not stored, and the identical request plans it anew [RTX-039]', async () => {
  for (const [tld, changed] of [
    ['lan', clusterTld],
    [null, nodeTld],
  ] as const) {
    await using world = await startWorld()
    const { id } = await office(world, tld)
    await clustersOf(world).update({ cluster: id, state: 'active' })
    const blog = await addApp(world, { slug: 'blog' })
    const before = await domains(world)
    beforeStoring(world, () => changed(world, 'office'))
    const create = () => createInstance(world, { project_id: blog.id, branch: 'main' })
    await assert.rejects(create(), refused)
    const { length } = await world.store.db.selectFrom('instances').select('id').execute()
    assert.deepEqual([await domains(world), length], [before, 1])
    assert.equal((await create()).data.route?.domain, 'blog.office')
  }
})

test('a domain that was named is stored below any top-level domain, but not for a Cluster that its Node is in no more [CLU-013]', async () => {
  await using world = await startWorld()
  const { id } = await office(world, 'lan')
  await clustersOf(world).update({ cluster: id, state: 'active' })
  const [instance] = await world.store.db.selectFrom('instances').select('id').execute()
  const create = (domain: string) =>
    createFor(world, instance?.id ?? 0, { domain, web_root: 'apps/admin/public' })
  beforeStoring(world, () => clusterTld(world, 'office'))
  assert.equal((await create('a.example')).data.cluster_id, id)
  beforeStoring(world, () => world.store.db.updateTable('clusters').set({ state: 'inactive' }).execute())
  await assert.rejects(create('b.example'), refused)
  assert.ok(!(await domains(world)).includes('b.example'))
  assert.equal((await create('b.example')).data.cluster_id, null)
})

test('a Route is not led to an Instance whose Node got another top-level domain while that was planned [RTE-103]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id, branch: 'main' })
  const { db } = world.store
  const route = data.route?.id ?? 0
  await updateRoute(db, route, { status: 'failed' })
  await deleteTargets(db, route)
  await nodeTld(world, 'before')
  beforeStoring(world, () => nodeTld(world, 'box'))
  await assert.rejects(setTarget(world, route, data.id), refused)
  assert.deepEqual(await domains(world), ['shop.test'])
  assert.equal((await setTarget(world, route, data.id)).data.domain, 'shop.box')
})

test('an Instance does not move below a top-level domain that the Cluster of its next Node has no more: it stays, and a repeated transfer names the next one [RTE-148]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const { db } = world.store
  const wanted = { instance: data.id, node_id: other.id }
  const change = () => db.updateTable('clusters').set({ tld: 'away' }).where('tld', '=', 'there').execute()
  // The first one accepts the transfer.
  beforeStoring(world, change, 1)
  await assert.rejects(transfer(world, wanted), refused)
  assert.deepEqual(await domains(world), ['shop.here'])
  assert.equal((await transfer(world, wanted)).data.domain, 'shop.away')
})

test('a transfer whose next Cluster gets another top-level domain before it moves records that domain, and the environment has it [RTE-148, INS-094]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const { db } = world.store
  const set = { set: new Map([['NAME', 'shop']]), removed: [] }
  await world.environment.replace(fakeCall(), data, async () => set)
  const under: string[] = []
  const { synchronizeUnder } = world.environment
  Object.assign(world.environment, {
    synchronizeUnder: (...given: Parameters<typeof synchronizeUnder>) => {
      under.push(given[2])
      return synchronizeUnder(...given)
    },
  })
  const { names } = world.deps
  const publish = names.publish.bind(names)
  Object.assign(names, {
    publish: async (call: Parameters<typeof publish>[0]) => {
      await db.updateTable('clusters').set({ tld: 'away' }).where('tld', '=', 'there').execute()
      await publish(call)
    },
  })
  const { data: moved } = await transfer(world, { instance: data.id, node_id: other.id })
  assert.deepEqual([moved.domain, moved.transfer?.destination_domain], ['shop.away', 'shop.away'])
  assert.deepEqual(under, ['shop.away'])
})

test('domains of another slug are not prepared below a top-level domain that is not the one of their Node any more [RTE-040, RTX-039]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  await createInstance(world, { project_id: project.id, branch: 'main' })
  const { forProjects } = world.routes
  const planned = await forProjects.plan(project.id, 'next')
  await nodeTld(world, 'box')
  await assert.rejects(forProjects.prepare(fakeCall(), planned), refused)
  assert.deepEqual(await domains(world), ['shop.test'])
})

test('what follows the top-level domain of a Node is in the Cluster that the Node is in by then [RTX-039, CLU-023]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  await createInstance(world, { project_id: project.id, branch: 'main' })
  const { node, store } = world
  await nodeTld(world, 'box')
  const renamed = { ...node, tld: 'box' }
  const router = await addNode(store, { name: 'router', wireguard_ip: '10.44.0.8' })
  const { forNodes } = world.routes
  const join = async () => {
    const { id } = await addCluster(store, { state: 'active', tld: 'lan' }, [node, router])
    await addRole(store, { node_id: router.id, role: 'router' })
    return id
  }
  beforeStoring(world, join)
  await assert.rejects(forNodes.followTld(fakeCall(), node, renamed), refused)
  assert.deepEqual(await domains(world), ['shop.test'])
  await forNodes.followTld(fakeCall(), node, renamed)
  assert.deepEqual(await domains(world), ['shop.test'], 'the record of the Node says in which Cluster it is')
})

test('an Instance whose Node left the Cluster meanwhile joins no pool of it, and what was prepared for it goes [RTE-110, RTE-111]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const [a, b] = shop.instances
  const { paths, store } = world.deps
  const { verify } = paths
  Object.assign(paths, {
    verify: async (...given: Parameters<typeof verify>) => {
      await verify(...given)
      await store.db
        .updateTable('nodes')
        .set({ cluster_id: null })
        .where('id', '=', shop.nodes[1]?.id ?? 0)
        .execute()
    },
  })
  const before = await viewOf(world)
  await assert.rejects(setTargets(world, shop.routes[0], [a, b]), refused)
  assert.deepEqual(await viewOf(world), before)
  await assert.rejects(setTargets(world, shop.routes[0], [a, b]), { code: 'route.target_scope_conflict' })
})
