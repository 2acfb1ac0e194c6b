import assert from 'node:assert/strict'
import {
  addCluster,
  addNode,
  type ClustersFleet,
  fakeCall,
  forEachDialect,
  startClustersFleet,
} from '@fleet/testing'

const attach = (fleet: ClustersFleet, cluster: number, node: number, call = fakeCall()) =>
  fleet.clusters.handlers['cluster:node:attach']({ call, input: { cluster, node } })

const clusterOf = async (fleet: ClustersFleet, node: number) => {
  const { data } = await fleet.nodes.handlers['node:show']({ call: fakeCall(), input: { node } })
  return data.cluster_id
}

forEachDialect(
  'a Node joins an inactive Cluster once, which moves nothing [CLU-007, CLU-018, NODE-002]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const [node, call] = [await addNode(fleet.store, { name: 'web' }), fakeCall()]
    const { id } = await addCluster(fleet.store, { tld: 'b' })
    assert.equal(await clusterOf(fleet, node.id), null)
    const { data } = await attach(fleet, id, node.id, call)
    assert.deepEqual(
      data.nodes.map(({ name }) => name),
      ['web'],
    )
    assert.equal(await clusterOf(fleet, node.id), id)
    assert.equal(call.notes.target, node.id)
    assert.deepEqual((await attach(fleet, id, node.id)).data, data)
    assert.deepEqual(fleet.routes.published, [])
  },
)

forEachDialect('a member answers as one even when it could not join any more', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const node = await addNode(fleet.store, { status: 'failed' })
  const { id } = await addCluster(fleet.store, {}, [node])
  assert.equal((await attach(fleet, id, node.id)).data.nodes.length, 1)
})

forEachDialect('a Node that is not active does not join [CLU-036]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id } = await addCluster(fleet.store)
  for (const status of ['failed', 'provisioning'] as const) {
    const node = await addNode(fleet.store, { status })
    await assert.rejects(attach(fleet, id, node.id), {
      code: 'cluster.node_inactive',
      status: 409,
      details: { node: { id: node.id, name: node.name } },
    })
    assert.equal(await clusterOf(fleet, node.id), null)
  }
})

forEachDialect('a Node is in one Cluster at most [CLU-037]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const node = await addNode(fleet.store)
  const [first, second] = [await addCluster(fleet.store, {}, [node]), await addCluster(fleet.store)]
  const refusal = { code: 'cluster.membership_conflict', status: 409 }
  await assert.rejects(attach(fleet, second.id, node.id), refusal)
  assert.equal(await clusterOf(fleet, node.id), first.id)
})

forEachDialect('of two Clusters that take a Node at once, one gets it [CLU-037]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const node = await addNode(fleet.store)
  const [slow, fast] = [await addCluster(fleet.store, { state: 'active' }), await addCluster(fleet.store)]
  fleet.routes.onPublish = async () => {
    fleet.routes.onPublish = async () => undefined
    await attach(fleet, fast.id, node.id)
  }
  await assert.rejects(attach(fleet, slow.id, node.id), { code: 'cluster.membership_conflict' })
  assert.equal(await clusterOf(fleet, node.id), fast.id)
  assert.equal(fleet.routes.published.length, 2)
})

forEachDialect('a LAN address is used once in a Cluster [CLU-039]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const add = (lan_ip: string | null) => addNode(fleet.store, { lan_ip })
  const { id } = await addCluster(fleet.store, {}, [await add('192.168.7.2'), await add(null)])
  const same = await add('192.168.7.2')
  await assert.rejects(attach(fleet, id, same.id), { code: 'cluster.lan_ip_conflict', status: 409 })
  for (const lan of [null, '192.168.7.3']) await attach(fleet, id, (await add(lan)).id)
  await attach(fleet, (await addCluster(fleet.store)).id, same.id)
})

forEachDialect('an active Cluster takes the Routes of a Node before the Node', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const node = await addNode(fleet.store, { tld: 'web' })
  const router = await addNode(fleet.store, { roles: ['router'] })
  for (const tld of ['b', null]) {
    const { id } = await addCluster(fleet.store, { tld, state: 'active' }, [router])
    const seen: unknown[] = []
    fleet.routes.onPublish = async () => void seen.push(await clusterOf(fleet, node.id))
    await attach(fleet, id, node.id)
    assert.deepEqual(seen, [null])
    const after = { clusterId: id, tld: tld ?? 'web' }
    assert.deepEqual(fleet.routes.published.at(-1), {
      clusterId: id,
      moves: [{ nodeId: node.id, before: { clusterId: null, tld: 'web' }, after }],
    })
    await fleet.store.db.updateTable('nodes').set({ cluster_id: null }).execute()
  }
})

forEachDialect(
  'a Node stays outside when a Route of it cannot follow [CLU-031, CLU-044]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const node = await addNode(fleet.store, { tld: 'web' })
    const router = await addNode(fleet.store, { roles: ['router'] })
    const { id } = await addCluster(fleet.store, { tld: 'b', state: 'active' }, [router])
    const route = { id: 5, domain: 'shop.web', nodeId: node.id, isGenerated: false, isMovable: true }
    fleet.routes.standing = [{ ...route, isServedInPublic: true }]
    const refusal = { code: 'route.reconciliation_required', status: 409 }
    await assert.rejects(attach(fleet, id, node.id), refusal)
    fleet.routes.standing = [{ ...route, isServedInPublic: false }]
    const unrouted = await addCluster(fleet.store, { state: 'active' })
    await assert.rejects(attach(fleet, unrouted.id, node.id), { code: 'cluster.router_required' })
    assert.equal(await clusterOf(fleet, node.id), null)
    await attach(fleet, id, node.id)
  },
)

forEachDialect('an unknown Cluster or Node is refused', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const [node, cluster] = [await addNode(fleet.store), await addCluster(fleet.store)]
  await assert.rejects(attach(fleet, 99, node.id), { code: 'cluster.not_found' })
  await assert.rejects(attach(fleet, cluster.id, 99), { code: 'node.not_found' })
})
