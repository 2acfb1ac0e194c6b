import assert from 'node:assert/strict'
import { fail } from '@fleet/contract'
import {
  addCluster,
  addNode,
  addRole,
  type ClustersFleet,
  fakeCall,
  forEachDialect,
  startClustersFleet,
} from '@fleet/testing'

const clear = (fleet: ClustersFleet, cluster: number, force?: boolean, call = fakeCall()) =>
  fleet.clusters.handlers['cluster:router:clear']({ call, input: { cluster, force } })

const routers = ({ store }: ClustersFleet) =>
  store.db.selectFrom('node_roles').select(['status', 'failed_step']).where('role', '=', 'router').execute()

forEachDialect('Router and candidates go with their services; the rest stays [CLU-010]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const router = await addNode(fleet.store, { name: 'a', roles: ['router', 'app-prod'] })
  const candidate = await addNode(fleet.store, { name: 'b' })
  await addRole(fleet.store, { node_id: candidate.id, role: 'router', status: 'failed' })
  const elsewhere = await addNode(fleet.store, { roles: ['router'] })
  await addCluster(fleet.store, {}, [elsewhere])
  const { id } = await addCluster(fleet.store, {}, [router, candidate])
  const call = fakeCall()
  const { data } = await clear(fleet, id, true, call)
  assert.deepEqual([data.router, data.nodes.length], [null, 2])
  assert.deepEqual(call.notes.properties, { router_node_id: router.id })
  assert.deepEqual(fleet.services.done, [`withdraw ${router.id}`, `withdraw ${candidate.id}`])
  assert.deepEqual(await routers(fleet), [{ status: 'active', failed_step: null }])
  assert.deepEqual((await fleet.nodes.nodes.find(router.id))?.activeRoles, ['app-prod'])
  assert.deepEqual((await clear(fleet, id)).data, data)
})

forEachDialect(
  'an active Cluster with a top-level domain keeps its Router [CLU-010, CLU-035]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const router = await addNode(fleet.store, { roles: ['router'] })
    const { id } = await addCluster(fleet.store, { state: 'active', tld: 'b' }, [router])
    const refusal = { code: 'cluster.active_router_required', status: 409 }
    for (const force of [true, false]) await assert.rejects(clear(fleet, id, force), refusal)
    assert.deepEqual(
      [await routers(fleet), fleet.services.done],
      [[{ status: 'active', failed_step: null }], []],
    )
    await fleet.store.db.updateTable('clusters').set({ tld: null }).execute()
    assert.equal((await clear(fleet, id)).data.router, null)
  },
)

forEachDialect(
  'a Cluster that gets a Route while its Router is asked whether it can go keeps it as it was [CLU-034]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const router = await addNode(fleet.store, { roles: ['router'] })
    const { id } = await addCluster(fleet.store, {}, [router])
    fleet.services.onCall = async (deed) => {
      if (deed === 'capable') fleet.routes.owned = 1
    }
    await assert.rejects(clear(fleet, id), {
      code: 'cluster.routes_require_router',
      details: { routes: 1 },
    })
    assert.deepEqual(
      [await routers(fleet), fleet.services.done],
      [[{ status: 'active', failed_step: null }], []],
    )
  },
)

forEachDialect('a Cluster that owns Routes keeps its Router [CLU-034]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const router = await addNode(fleet.store, { roles: ['router'] })
  const { id } = await addCluster(fleet.store, {}, [router])
  fleet.routes.owned = 3
  await assert.rejects(clear(fleet, id, true), {
    code: 'cluster.routes_require_router',
    status: 409,
    details: { routes: 3 },
  })
  assert.deepEqual(await routers(fleet), [{ status: 'active', failed_step: null }])
  await fleet.store.db.updateTable('node_roles').set({ status: 'failed' }).execute()
  assert.deepEqual((await clear(fleet, id)).data.router, null)
})

forEachDialect('a withdrawal that fails names its step, and the same request ends it', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const router = await addNode(fleet.store, { roles: ['router'] })
  const { id } = await addCluster(fleet.store, {}, [router])
  fleet.services.onCall = async (deed) => {
    if (deed === 'withdraw') throw fail('node.unreachable', { details: { step: 'sites' } })
  }
  await assert.rejects(clear(fleet, id), { code: 'node.unreachable' })
  assert.deepEqual(await routers(fleet), [{ status: 'failed', failed_step: 'remove:sites' }])
  fleet.services.onCall = async () => undefined
  await clear(fleet, id)
  assert.deepEqual(await routers(fleet), [])
})

forEachDialect('an unknown Cluster has no Router to clear', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  await assert.rejects(clear(fleet, 7), { code: 'cluster.not_found' })
})
