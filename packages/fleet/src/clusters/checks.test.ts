import assert from 'node:assert/strict'
import { addCluster, addNode, fakeCall, forEachDialect, openTestStore, testDomains } from '@fleet/testing'

forEachDialect('an active Cluster without a Router is reported once, with what it lacks', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const [gone, one, other] = [
    await addNode(store, { status: 'failed' }),
    await addNode(store),
    await addNode(store, { roles: ['router'] }),
  ]
  const cluster = await addCluster(store, { state: 'active', name: 'office', tld: 'lan' }, [gone, one, other])
  const { families, nodes } = testDomains({ store })
  const found = async () => {
    const issues: unknown[] = []
    for (const { id } of [gone, one, other]) {
      const node = (await nodes.nodes.find(id)) ?? assert.fail()
      for (const family of families)
        for (const check of await family.checksOf(fakeCall(), node))
          if (check.code === 'role.cluster_router_missing' && check.kind === 'stored')
            issues.push([node.id, check.resource, await check.judge()])
    }
    return issues
  }
  const resource = { type: 'cluster', id: cluster.id, name: 'office' }
  assert.deepEqual(await found(), [[one.id, resource, undefined]])
  await store.db.deleteFrom('node_roles').where('role', '=', 'router').execute()
  assert.deepEqual(await found(), [[one.id, resource, { expected: 'a Router', observed: 'none' }]])
  await store.db.updateTable('clusters').set({ state: 'inactive' }).execute()
  assert.deepEqual(await found(), [])
})
