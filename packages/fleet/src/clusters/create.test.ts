import assert from 'node:assert/strict'
import { cluster, type InputOf } from '@fleet/contract'
import { addCluster, type ClustersFleet, fakeCall, forEachDialect, startClustersFleet } from '@fleet/testing'

const create = (fleet: ClustersFleet, input: InputOf<'cluster:create'>) =>
  fleet.clusters.handlers['cluster:create']({ call: fakeCall(), input })

const count = async ({ store }: ClustersFleet): Promise<number> =>
  (await store.db.selectFrom('clusters').select('id').execute()).length

forEachDialect('a new Cluster is inactive and empty [CLU-001, CLU-004]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { data, created } = await create(fleet, { name: 'berlin', tld: 'berlin' })
  assert.deepEqual(data, {
    id: data.id,
    name: 'berlin',
    tld: 'berlin',
    state: 'inactive',
    nodes: [],
    router: null,
  })
  assert.equal(created, true)
  assert.deepEqual(cluster.parse(data), data)
  assert.equal((await create(fleet, { name: 'paris' })).data.tld, null)
})

forEachDialect('an exact repeat answers what is stored, also after changes [CLU-004]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const stored = await addCluster(fleet.store, { name: 'berlin', state: 'active' })
  for (const input of [{ name: 'berlin' }, { name: 'berlin', tld: null }]) {
    const { data, created } = await create(fleet, input)
    assert.deepEqual([data.id, data.state, created], [stored.id, 'active', false])
  }
  assert.equal(await count(fleet), 1)
})

forEachDialect('a name that another Cluster has is refused [CLU-004]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  await addCluster(fleet.store, { name: 'berlin', tld: 'berlin' })
  for (const input of [{ name: 'berlin' }, { name: 'berlin', tld: 'other' }]) {
    await assert.rejects(create(fleet, input), ({ code, status, details }) => {
      assert.deepEqual([code, status, Object.keys(details.errors)], ['validation.failed', 422, ['name']])
      return true
    })
  }
  assert.equal(await count(fleet), 1)
})

forEachDialect('a top-level domain that another Cluster has is refused [CLU-014]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id, name } = await addCluster(fleet.store, { tld: 'berlin' })
  await assert.rejects(create(fleet, { name: 'second', tld: 'berlin' }), {
    code: 'cluster.tld_conflict',
    status: 409,
    details: { cluster: { id, name } },
  })
  assert.equal(await count(fleet), 1)
})

forEachDialect('of creations at the same moment one creates and the others repeat it', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => create(fleet, { name: 'berlin', tld: 'berlin' })))
  assert.equal(outcomes.filter(({ created }) => created).length, 1)
  assert.equal(await count(fleet), 1)
})
