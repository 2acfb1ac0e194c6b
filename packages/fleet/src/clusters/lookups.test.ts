import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCluster, addNode, addRole, startClustersFleet } from '@fleet/testing'

test('the Router of a Cluster is the member whose role and Node are both active [RTE-084]', async () => {
  await using fleet = await startClustersFleet()
  const { store, clusters } = fleet
  const router = await addNode(store)
  const { id } = await addCluster(store, { state: 'active' }, [await addNode(store), router])
  const routerId = async (): Promise<number | undefined> => (await clusters.clusters.routerOf(id))?.id
  const become = (table: 'nodes' | 'node_roles', status: 'active' | 'failed') =>
    table === 'nodes'
      ? store.db.updateTable(table).set({ status }).where('id', '=', router.id).execute()
      : store.db.updateTable(table).set({ status }).where('node_id', '=', router.id).execute()
  assert.equal(await routerId(), undefined)
  await addRole(store, { node_id: router.id, role: 'router' })
  assert.equal(await routerId(), router.id)
  for (const table of ['nodes', 'node_roles'] as const) {
    await become(table, 'failed')
    assert.equal(await routerId(), undefined, table)
    await become(table, 'active')
    assert.equal(await routerId(), router.id, table)
  }
  assert.equal(await clusters.clusters.routerOf(id + 1), undefined)
})
