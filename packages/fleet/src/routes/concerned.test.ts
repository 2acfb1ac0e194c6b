import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCluster, addNode, fakeCall, testDomains } from '@fleet/testing'
import { addApp, create, createInstance, startWorld } from '#/routes/world.test.ts'

test('a Node does not enter an active Cluster whose top-level domain would rename an Instance that it serves; a custom proxy holds nothing up', async () => {
  await using world = await startWorld()
  const { store, node } = world
  const cluster = await addCluster(store, { state: 'active', tld: 'c.test' })
  await addNode(store, { cluster_id: cluster.id, wireguard_ip: '10.44.0.8', roles: ['router'] })
  const domains = testDomains({ store })
  const attach = domains.clusters.handlers['cluster:node:attach']
  await create(world)
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  const input = { cluster: cluster.id, node: node.id }
  await assert.rejects(async () => attach({ call: fakeCall(), input }), {
    code: 'route.reconciliation_required',
    details: { route: { id: data.route?.id, domain: 'shop.test' } },
  })
  const kept = await store.db.selectFrom('nodes').select('cluster_id').where('id', '=', node.id).execute()
  assert.deepEqual(kept, [{ cluster_id: null }])
  await store.db.deleteFrom('routes').where('kind', '=', 'app').execute()
  await attach({ call: fakeCall(), input })
})
