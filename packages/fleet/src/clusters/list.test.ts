import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addCluster,
  addGatewayNode,
  addGrant,
  addNode,
  addRole,
  asCaller,
  type ClustersFleet,
  fakeCall,
  forEachDialect,
  startClustersFleet,
} from '@fleet/testing'

async function listed(fleet: ClustersFleet, caller: ReturnType<typeof asCaller>): Promise<readonly string[]> {
  const { data } = await fleet.clusters.handlers['cluster:list']({ call: fakeCall({ caller }), input: {} })
  return data.map(({ name }) => name)
}

forEachDialect(
  'a list holds, by name, Clusters of which the caller may address every member, and empty ones for a gateway grant [CLU-003, CLU-011, GW-009]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const gateway = await addGatewayNode(fleet.store)
    const [own, granted, other, alone] = [
      await addNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    await addGrant(fleet.store, own, granted)
    await addCluster(fleet.store, { name: 'mine' }, [own, granted])
    await addCluster(fleet.store, { name: 'foreign' }, [other])
    await addCluster(fleet.store, { name: 'Empty' })
    assert.deepEqual(await listed(fleet, asCaller(own)), ['mine'])
    assert.deepEqual(await listed(fleet, asCaller(granted)), [])
    assert.deepEqual(await listed(fleet, asCaller(alone)), [])
    assert.deepEqual(await listed(fleet, asCaller(gateway, true)), ['Empty'])
    await addGrant(fleet.store, own, gateway)
    await addGrant(fleet.store, own, other)
    assert.deepEqual(await listed(fleet, asCaller(own)), ['Empty', 'foreign', 'mine'])
  },
)

forEachDialect(
  'a Cluster shows its members by name and its Router [CLU-001, CLU-002, CLU-003]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const web = await addNode(fleet.store, { name: 'web', lan_ip: '192.168.7.2', wireguard_ip: '10.0.0.2' })
    const edge = await addNode(fleet.store, {
      name: 'edge',
      status: 'failed',
      wireguard_ip: null,
      roles: ['router', 'ingress'],
    })
    const candidate = await addNode(fleet.store, { name: 'candidate', wireguard_ip: '10.0.0.3' })
    await addRole(fleet.store, { node_id: candidate.id, role: 'router', status: 'failed' })
    const { id } = await addCluster(fleet.store, { name: 'berlin', tld: 'b', state: 'active' }, [
      web,
      edge,
      candidate,
    ])
    const input = { cluster: id }
    const { data } = await fleet.clusters.handlers['cluster:show']({ call: fakeCall(), input })
    const router = { id: edge.id, name: 'edge', status: 'failed', wireguard_ip: null, lan_ip: null } as const
    const others = [
      { id: candidate.id, name: 'candidate', status: 'active', wireguard_ip: '10.0.0.3', lan_ip: null },
      { id: web.id, name: 'web', status: 'active', wireguard_ip: '10.0.0.2', lan_ip: '192.168.7.2' },
    ] as const
    const nodes = [others[0], router, others[1]]
    assert.deepEqual(data, { id, name: 'berlin', tld: 'b', state: 'active', nodes, router })
  },
)

forEachDialect('an unknown Cluster is not shown [CLU-003]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const shown = fleet.clusters.handlers['cluster:show']({ call: fakeCall(), input: { cluster: 7 } })
  await assert.rejects(shown, { code: 'cluster.not_found', status: 404 })
})

test('nobody is shown nothing', async () => {
  await using fleet = await startClustersFleet()
  await addCluster(fleet.store)
  const call = fakeCall({ caller: undefined })
  assert.deepEqual((await fleet.clusters.handlers['cluster:list']({ call, input: {} })).data, [])
})
