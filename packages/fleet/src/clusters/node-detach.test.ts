import assert from 'node:assert/strict'
import { roleStatuses } from '@fleet/contract'
import {
  addCluster,
  addNode,
  addRole,
  type ClustersFleet,
  fakeCall,
  forEachDialect,
  startClustersFleet,
} from '@fleet/testing'

const detach = (fleet: ClustersFleet, cluster: number, node: number, force?: boolean) =>
  fleet.clusters.handlers['cluster:node:detach']({ call: fakeCall(), input: { cluster, node, force } })

const clusterOf = async (fleet: ClustersFleet, node: number) =>
  (await fleet.nodes.nodes.find(node))?.cluster_id

forEachDialect('a member leaves, with or without force [CLU-008, NODE-002]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  for (const force of [true, false, undefined]) {
    const [node, other] = [await addNode(fleet.store), await addNode(fleet.store)]
    const { id } = await addCluster(fleet.store, {}, [node, other])
    const { data } = await detach(fleet, id, node.id, force)
    assert.deepEqual(
      data.nodes.map((member) => member.id),
      [other.id],
    )
    assert.equal(await clusterOf(fleet, node.id), null)
    assert.equal(await clusterOf(fleet, other.id), id)
  }
  assert.deepEqual(fleet.routes.published, [])
})

forEachDialect('a Node that is no member cannot leave [CLU-038]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const node = await addNode(fleet.store)
  const [cluster, other] = [await addCluster(fleet.store), await addCluster(fleet.store, {}, [node])]
  const refusal = { code: 'cluster.membership_missing', status: 409 }
  await assert.rejects(detach(fleet, cluster.id, node.id, true), refusal)
  assert.equal(await clusterOf(fleet, node.id), other.id)
})

for (const status of roleStatuses) {
  const kept = [
    ['router', 'cluster.router_detach_forbidden'],
    ['ingress', 'cluster.ingress_detach_forbidden'],
  ] as const
  for (const [role, code] of kept) {
    forEachDialect(
      `a member with a ${role} role that is ${status} stays, also with force [CLU-008, CLU-040, CLU-041]`,
      async (dialect) => {
        await using fleet = await startClustersFleet(dialect)
        const node = await addNode(fleet.store)
        await addRole(fleet.store, { node_id: node.id, role, status })
        const { id } = await addCluster(fleet.store, {}, [node])
        for (const force of [true, false])
          await assert.rejects(detach(fleet, id, node.id, force), { code, status: 409 })
        assert.equal(await clusterOf(fleet, node.id), id)
      },
    )
  }
}

forEachDialect('a Node that shares the active top-level domain stays [CLU-032]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const node = await addNode(fleet.store, { tld: 'b' })
  const { id } = await addCluster(fleet.store, { tld: 'b', state: 'active' }, [node])
  await assert.rejects(detach(fleet, id, node.id), { code: 'cluster.tld_conflict', status: 409 })
  await fleet.store.db.updateTable('clusters').set({ state: 'inactive' }).execute()
  await detach(fleet, id, node.id)
})

forEachDialect('Routes return to the Node before it leaves, or keep it [CLU-044]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const node = await addNode(fleet.store, { tld: 'web' })
  const { id } = await addCluster(fleet.store, { tld: 'b', state: 'active' }, [node])
  const route = { id: 5, domain: 'shop.b', nodeId: node.id, isMovable: true, isServedInPublic: false }
  const refusals = [
    [{ ...route, isGenerated: false, isServedInPublic: true }, 'route.reconciliation_required'],
    [{ ...route, isGenerated: true, isMovable: false }, 'route.reconciliation_required'],
  ] as const
  for (const [given, code] of refusals) {
    fleet.routes.standing = [given]
    await assert.rejects(detach(fleet, id, node.id), { code })
  }
  assert.equal(await clusterOf(fleet, node.id), id)
  fleet.routes.standing = [{ ...route, isGenerated: true }]
  const seen: unknown[] = []
  fleet.routes.onPublish = async () => void seen.push(await clusterOf(fleet, node.id))
  await detach(fleet, id, node.id)
  assert.deepEqual(seen, [id])
  const [before, after] = [
    { clusterId: id, tld: 'b' },
    { clusterId: null, tld: 'web' },
  ]
  assert.deepEqual(fleet.routes.published, [{ clusterId: id, moves: [{ nodeId: node.id, before, after }] }])
})

forEachDialect('a generated Route keeps its Node when no top-level domain would be left', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const node = await addNode(fleet.store)
  const { id } = await addCluster(fleet.store, { tld: 'b', state: 'active' }, [node])
  fleet.routes.standing = [
    { id: 5, domain: 'shop.b', nodeId: node.id, isGenerated: true, isMovable: true, isServedInPublic: false },
  ]
  await assert.rejects(detach(fleet, id, node.id), { code: 'route.tld_required', status: 409 })
  assert.equal(await clusterOf(fleet, node.id), id)
})
