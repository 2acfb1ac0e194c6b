import assert from 'node:assert/strict'
import {
  addCluster,
  addNode,
  type ClustersFleet,
  fakeCall,
  forEachDialect,
  startClustersFleet,
} from '@fleet/testing'

const destroy = (fleet: ClustersFleet, cluster: number) =>
  fleet.clusters.handlers['cluster:destroy']({ call: fakeCall(), input: { cluster } })

forEachDialect('an empty Cluster goes and is answered once more [CLU-006]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id } = await addCluster(fleet.store, { name: 'berlin', tld: 'b' })
  const record = { id, name: 'berlin', tld: 'b', state: 'inactive', nodes: [], router: null }
  assert.deepEqual((await destroy(fleet, id)).data, record)
  assert.deepEqual(await fleet.clusters.clusters.list(), [])
  await assert.rejects(destroy(fleet, id), { code: 'cluster.not_found', status: 404 })
})

forEachDialect('a Cluster with members or Routes stays [CLU-042]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const full = await addCluster(fleet.store, {}, [await addNode(fleet.store)])
  await assert.rejects(destroy(fleet, full.id), {
    code: 'cluster.not_empty',
    status: 409,
    details: { nodes: 1 },
  })
  const routed = await addCluster(fleet.store)
  fleet.routes.owned = 2
  await assert.rejects(destroy(fleet, routed.id), {
    code: 'cluster.has_routes',
    status: 409,
    details: { routes: 2 },
  })
  assert.equal((await fleet.clusters.clusters.list()).length, 2)
})

forEachDialect(
  'a Node that joins at the same moment is in a Cluster that exists, or in none',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const node = await addNode(fleet.store)
    const { id } = await addCluster(fleet.store)
    const attach = fleet.clusters.handlers['cluster:node:attach']({
      call: fakeCall(),
      input: { cluster: id, node: node.id },
    })
    await Promise.allSettled([attach, destroy(fleet, id)])
    const { cluster_id } = (await fleet.nodes.nodes.find(node.id)) ?? assert.fail()
    assert.equal(cluster_id !== null, (await fleet.clusters.clusters.find(id)) !== undefined)
  },
)
