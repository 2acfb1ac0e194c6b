import assert from 'node:assert/strict'
import type { InputOf } from '@fleet/contract'
import {
  addCluster,
  addNode,
  type ClustersFleet,
  fakeCall,
  forEachDialect,
  startClustersFleet,
} from '@fleet/testing'
import type { MovingRoute } from '#/clusters/api.ts'

type Given = Omit<InputOf<'cluster:update'>, 'cluster'>

const update = (fleet: ClustersFleet, cluster: number, given: Given) =>
  fleet.clusters.handlers['cluster:update']({
    call: fakeCall({ operation: 'cluster:update' }),
    input: { cluster, ...given },
  })

const stored = async ({ store }: ClustersFleet, id: number) =>
  store.db.selectFrom('clusters').selectAll().where('id', '=', id).executeTakeFirst()

const route = (nodeId: number, given: Partial<MovingRoute> = {}): MovingRoute => ({
  id: 5,
  domain: 'shop.web.test',
  nodeId,
  isGenerated: true,
  isServedInPublic: false,
  isMovable: true,
  ...given,
})

/** An inactive Cluster `berlin` of a Router and a Node with a top-level domain of its own. */
async function standing(fleet: ClustersFleet, given: Parameters<typeof addCluster>[1] = {}) {
  const router = await addNode(fleet.store, { name: 'edge', roles: ['router'] })
  const node = await addNode(fleet.store, { name: 'web', tld: 'web' })
  const cluster = await addCluster(fleet.store, { name: 'berlin', ...given }, [router, node])
  return { router, node, cluster }
}

forEachDialect('an update names a member to change [CLU-005, CLU-028]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id } = await addCluster(fleet.store)
  for (const given of [{}, { name: undefined }])
    await assert.rejects(update(fleet, id, given), { code: 'cluster.update_required', status: 422 })
})

forEachDialect('a state is inactive or active [CLU-029]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { id } = await addCluster(fleet.store)
  for (const state of ['x', '', 'Active'])
    await assert.rejects(update(fleet, id, { state }), { code: 'cluster.state_invalid', status: 422 })
  assert.equal((await stored(fleet, id))?.state, 'inactive')
})

forEachDialect(
  'a name is changed while the Cluster is held, and touches no traffic [CLU-005, CLU-017]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { cluster, node } = await standing(fleet, { state: 'active', tld: 'b' })
    fleet.routes.standing = [route(node.id, { isMovable: false })]
    await using _held = await fleet.store.locks.acquire({
      name: `cluster:${cluster.id}:router`,
      operation: 'cluster:router:set',
      requestId: 'request-1',
      waitMilliseconds: 0,
      leaseSeconds: 60,
    })
    const { data } = await update(fleet, cluster.id, { name: 'paris' })
    assert.deepEqual([data.name, data.state, data.tld, data.nodes.length], ['paris', 'active', 'b', 2])
    assert.equal((await stored(fleet, cluster.id))?.name, 'paris')
    assert.deepEqual((await update(fleet, cluster.id, { name: 'paris' })).data, data)
    assert.deepEqual(fleet.routes.published, [])
  },
)

forEachDialect('a taken name or top-level domain changes nothing [CLU-004, CLU-014]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  await addCluster(fleet.store, { name: 'paris', tld: 'p' })
  const cluster = await addCluster(fleet.store, { name: 'berlin', tld: 'b' })
  const refusals = [
    [{ name: 'paris' }, 'validation.failed'],
    [{ name: 'paris', tld: 'c' }, 'validation.failed'],
    [{ tld: 'p' }, 'cluster.tld_conflict'],
  ] as const
  for (const [given, code] of refusals) await assert.rejects(update(fleet, cluster.id, given), { code })
  assert.deepEqual(await stored(fleet, cluster.id), cluster)
})

forEachDialect(
  'an inactive Cluster takes and clears a top-level domain, also one that a Node has, and moves nothing [CLU-005, CLU-014]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { cluster } = await standing(fleet)
    await addNode(fleet.store, { tld: 'b' })
    assert.equal((await update(fleet, cluster.id, { tld: 'b' })).data.tld, 'b')
    assert.equal((await update(fleet, cluster.id, { tld: null })).data.tld, null)
    assert.deepEqual(fleet.routes.published, [])
  },
)

forEachDialect(
  'activation is published as it is going to be before it is stored, and settled after [CLU-016]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { cluster, node, router } = await standing(fleet)
    const seen: unknown[] = []
    fleet.routes.onPublish = async () =>
      void seen.push((await stored(fleet, cluster.id))?.state, fleet.routes.settled)
    const { data } = await update(fleet, cluster.id, { state: 'active', tld: 'b' })
    assert.deepEqual([data.state, data.tld], ['active', 'b'])
    assert.deepEqual([seen, fleet.routes.settled], [['inactive', 0], 1])
    const [wanted] = fleet.routes.standings
    assert.deepEqual([wanted?.state, wanted?.tld, wanted?.members.length], ['active', 'b', 2])
    const after = { clusterId: cluster.id, tld: 'b' }
    assert.deepEqual(fleet.routes.published, [
      {
        clusterId: cluster.id,
        moves: [
          { nodeId: router.id, before: { clusterId: null, tld: null }, after },
          { nodeId: node.id, before: { clusterId: null, tld: 'web' }, after },
        ],
      },
    ])
  },
)

const CUTOVERS = [
  { from: { state: 'inactive', tld: 'b' }, change: { state: 'active' } },
  { from: { state: 'active', tld: null }, change: { tld: 'b' } },
  { from: { state: 'active', tld: 'a' }, change: { tld: 'b' } },
] as const

for (const { from, change } of CUTOVERS) {
  const title = `${JSON.stringify(change)} of ${JSON.stringify(from)}`

  forEachDialect(`${title} needs an active Router [CLU-015, CLU-031]`, async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { cluster, router } = await standing(fleet, from)
    const { db } = fleet.store
    await db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', router.id).execute()
    const refusal = { code: 'cluster.router_required', status: 409 }
    await assert.rejects(update(fleet, cluster.id, change), refusal)
    await db.updateTable('nodes').set({ status: 'active' }).where('id', '=', router.id).execute()
    await db.updateTable('node_roles').set({ status: 'failed' }).where('role', '=', 'router').execute()
    await assert.rejects(update(fleet, cluster.id, change), refusal)
    assert.deepEqual(await stored(fleet, cluster.id), cluster)
    await db.updateTable('node_roles').set({ status: 'active' }).where('role', '=', 'router').execute()
    await update(fleet, cluster.id, change)
  })

  forEachDialect(
    `${title} is refused while a Node outside owns the name [CLU-015, CLU-032]`,
    async (dialect) => {
      await using fleet = await startClustersFleet(dialect)
      const { cluster, node } = await standing(fleet, from)
      const { db } = fleet.store
      await db.updateTable('nodes').set({ tld: 'b' }).where('id', '=', node.id).execute()
      const elsewhere = await addCluster(fleet.store)
      const foreign = await addNode(fleet.store, { tld: 'b', cluster_id: elsewhere.id })
      await assert.rejects(update(fleet, cluster.id, change), {
        code: 'cluster.tld_conflict',
        details: { node: { id: foreign.id, name: foreign.name } },
      })
      assert.deepEqual(await stored(fleet, cluster.id), cluster)
      await db.updateTable('nodes').set({ tld: null }).where('id', '=', foreign.id).execute()
      await update(fleet, cluster.id, change)
    },
  )

  forEachDialect(`${title} is refused when a Route could not follow [CLU-015, CLU-044]`, async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { cluster, node } = await standing(fleet, from)
    for (const given of [{ isMovable: false }, { isServedInPublic: true }]) {
      fleet.routes.standing = [route(node.id, given)]
      await assert.rejects(update(fleet, cluster.id, change), {
        code: 'route.reconciliation_required',
        status: 409,
        message: given.isServedInPublic
          ? /: `fleet route:update shop\.web\.test --publication private`\.$/
          : /^The Route cannot be changed/,
        details: { route: { id: 5, domain: 'shop.web.test' } },
      })
    }
    assert.deepEqual(await stored(fleet, cluster.id), cluster)
    assert.deepEqual(fleet.routes.published, [])
  })
}

forEachDialect(
  'without a top-level domain activation needs no Router unless it moves Routes to the Cluster [CLU-031]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const node = await addNode(fleet.store)
    const cluster = await addCluster(fleet.store, {}, [node])
    fleet.routes.standing = [route(node.id, { isGenerated: false })]
    const activate = () => update(fleet, cluster.id, { state: 'active' })
    await assert.rejects(activate(), {
      code: 'cluster.router_required',
      details: { route: { id: 5, domain: 'shop.web.test' } },
    })
    fleet.routes.standing = []
    assert.equal((await activate()).data.state, 'active')
  },
)

for (const change of [{ tld: null }, { state: 'inactive' }]) {
  forEachDialect(
    `${JSON.stringify(change)} is refused when a generated Route would have no top-level domain [CLU-024]`,
    async (dialect) => {
      await using fleet = await startClustersFleet(dialect)
      const { cluster, node, router } = await standing(fleet, { state: 'active', tld: 'b' })
      fleet.routes.standing = [route(router.id, { isGenerated: false }), route(router.id, { id: 6 })]
      await assert.rejects(update(fleet, cluster.id, change), {
        code: 'route.tld_required',
        status: 409,
        details: { route: { id: 6, domain: 'shop.web.test' } },
      })
      assert.deepEqual(await stored(fleet, cluster.id), cluster)
      fleet.routes.standing = [route(node.id)]
      await update(fleet, cluster.id, change)
      assert.equal(fleet.routes.published.length, 1)
    },
  )
}

forEachDialect('what is stored already is neither checked nor published', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const cluster = await addCluster(fleet.store, { state: 'active', tld: 'b' })
  await addNode(fleet.store, { tld: 'b' })
  await update(fleet, cluster.id, { state: 'active', tld: 'b', name: cluster.name })
  assert.deepEqual(await stored(fleet, cluster.id), cluster)
  assert.deepEqual(fleet.routes.published, [])
})

forEachDialect('a failed publication leaves the record as it was [CLU-016]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { cluster } = await standing(fleet)
  const failure = new Error('no DNS')
  fleet.routes.onPublish = () => Promise.reject(failure)
  await assert.rejects(update(fleet, cluster.id, { state: 'active' }), failure)
  assert.deepEqual(await stored(fleet, cluster.id), cluster)
})

forEachDialect('what was published is published back when it cannot be stored', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const { cluster, node } = await standing(fleet)
  let rounds = 0
  fleet.routes.onPublish = async () => {
    if (rounds++ === 0) await addCluster(fleet.store, { tld: 'b' })
  }
  const change = update(fleet, cluster.id, { state: 'active', tld: 'b' })
  await assert.rejects(change, { code: 'cluster.tld_conflict' })
  assert.deepEqual(await stored(fleet, cluster.id), cluster)
  const [there, back] = fleet.routes.published.map(({ moves }) =>
    moves.find(({ nodeId }) => nodeId === node.id),
  )
  assert.deepEqual(back, { nodeId: node.id, before: there?.after, after: there?.before })
})

forEachDialect(
  'what cannot be stored does not take back a name that was stored meanwhile',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { cluster } = await standing(fleet)
    let rounds = 0
    fleet.routes.onPublish = async () => {
      if (rounds++ > 0) return
      await addCluster(fleet.store, { tld: 'b' })
      await update(fleet, cluster.id, { name: 'paris' })
    }
    const change = update(fleet, cluster.id, { state: 'active', tld: 'b', name: 'rome' })
    await assert.rejects(change, { code: 'cluster.tld_conflict' })
    assert.deepEqual(await stored(fleet, cluster.id), { ...cluster, name: 'paris' })
  },
)

forEachDialect('an unknown Cluster is not changed', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  for (const given of [{ name: 'a' }, { state: 'active' }])
    await assert.rejects(update(fleet, 7, given), { code: 'cluster.not_found' })
})
