import assert from 'node:assert/strict'
import { addCluster, addNode, forEachDialect, startClustersFleet } from '@fleet/testing'
import { holdScopes, requireScopes } from './held-scopes.ts'

forEachDialect(
  'who changes a Node or its Cluster waits for a transaction that holds its scope, and the next one sees the change [CLU-013, CLU-023]',
  // SQLite has one writer at a time.
  ['postgres'],
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { store } = fleet
    const node = await addNode(store, { tld: 'box' })
    const cluster = await addCluster(store, { state: 'active', tld: 'lan' }, [node])
    const planned = [{ nodeId: node.id, clusterId: cluster.id, tld: 'lan' }]
    for (const change of [
      () => store.db.updateTable('clusters').set({ tld: 'office' }).execute(),
      () => store.db.updateTable('nodes').set({ cluster_id: null }).where('id', '=', node.id).execute(),
    ]) {
      const order: string[] = []
      let changing: Promise<unknown> = Promise.resolve()
      const scopes = await store.transaction(async (tx) => {
        const held = await holdScopes(tx, [node.id])
        changing = change().then(() => order.push('changed'))
        // The other connection has its time to overtake.
        for (let asked = 0; asked < 20; asked += 1)
          await tx.selectFrom('nodes').select('id').where('id', '=', node.id).execute()
        order.push('stored')
        return held
      })
      await changing
      assert.deepEqual(order, ['stored', 'changed'])
      const [scope] = scopes.values()
      await assert.rejects(
        store.transaction((tx) => requireScopes(tx, [{ nodeId: node.id, clusterId: null, ...scope }])),
        { code: 'route.busy', details: { node_id: node.id } },
      )
    }
    await assert.rejects(
      store.transaction((tx) => requireScopes(tx, planned)),
      { code: 'route.busy' },
    )
    await store.transaction((tx) => requireScopes(tx, [{ nodeId: node.id, clusterId: null, tld: 'box' }]))
    await store.transaction((tx) => requireScopes(tx, [{ nodeId: node.id, clusterId: null }]))
  },
)
