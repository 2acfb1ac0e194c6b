import assert from 'node:assert/strict'
import {
  addCluster,
  addNode,
  addRole,
  fakeCall,
  forEachDialect,
  nodeRecord,
  startClustersFleet,
} from '@fleet/testing'

forEachDialect(
  'a Node joins while it is being enrolled, under the guards of a member, and is removed again [NODE-043]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { membership, clusters } = fleet.clusters
    const member = await addNode(fleet.store, { lan_ip: '192.168.0.7' })
    const { id } = await addCluster(fleet.store, {}, [member])
    const { id: other } = await addCluster(fleet.store)
    const node = await addNode(fleet.store, { status: 'provisioning', lan_ip: '192.168.0.8' })
    const record = nodeRecord({ ...node, activeRoles: [] })
    await membership.requireAttachable(fakeCall(), id, record)
    const sameLan = { ...record, lan_ip: '192.168.0.7' }
    await assert.rejects(membership.requireAttachable(fakeCall(), id, sameLan), {
      code: 'cluster.lan_ip_conflict',
    })
    await assert.rejects(membership.requireAttachable(fakeCall(), 999, record), { code: 'cluster.not_found' })
    const names = async (): Promise<string[]> =>
      (await clusters.find(id))?.members.map(({ name }) => name).toSorted() ?? []
    for (const _ of [1, 2]) await membership.attach(fakeCall(), id, node.id)
    assert.deepEqual(await names(), [member.name, node.name].toSorted())
    const attached = { ...record, cluster_id: id }
    await membership.requireAttachable(fakeCall(), id, attached)
    await assert.rejects(membership.requireAttachable(fakeCall(), other, attached), {
      code: 'cluster.membership_conflict',
    })
    for (const _ of [1, 2]) await membership.detach(fakeCall(), id, node.id)
    assert.deepEqual(await names(), [member.name])
  },
)

forEachDialect(
  'the top-level domain of a Cluster counts for its Nodes while it is active [NODE-062]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const { membership } = fleet.clusters
    const node = await addNode(fleet.store)
    const tldOf = async (cluster_id: number | null): Promise<string | null> =>
      membership.tldOf(nodeRecord({ ...node, cluster_id, activeRoles: [] }))
    const inactive = await addCluster(fleet.store, { tld: 'one' })
    const active = await addCluster(fleet.store, { tld: 'two', state: 'active' }, [node])
    assert.deepEqual(
      [await tldOf(null), await tldOf(inactive.id), await tldOf(active.id)],
      [null, null, 'two'],
    )
  },
)

forEachDialect(
  'joining an active Cluster moves the Routes of the Node first, as the operation does [NODE-043]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const router = await addNode(fleet.store)
    await addRole(fleet.store, { node_id: router.id, role: 'router' })
    const { id } = await addCluster(fleet.store, { tld: 'lab', state: 'active' }, [router])
    const node = await addNode(fleet.store, { tld: 'own' })
    fleet.routes.onPublish = () => Promise.reject(new Error('no DNS'))
    await assert.rejects(fleet.clusters.membership.attach(fakeCall(), id, node.id))
    assert.equal((await fleet.clusters.clusters.find(id))?.members.length, 1)
  },
)
