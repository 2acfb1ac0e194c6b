import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SshPool } from '@fleet/ssh'
import type { NewRow, Row, Store } from '@fleet/store'
import {
  addCluster,
  addGatewayNode,
  addInstance,
  addNode,
  addProcess,
  addProject,
  addRole,
  addRoute,
  addSchedule,
  asCaller,
  fakeCall,
  openTestStore,
  testDomains,
} from '@fleet/testing'

const created_at = '2026-01-02T03:04:05.000Z'

/** What a Node may not own, as the domains of production count it: the code of each, and how it comes to own it. */
const OWNED: Readonly<Record<string, (store: Store, node: Row<'nodes'>) => Promise<unknown>>> = {
  'node.has_instances': async (store, { id }) =>
    addInstance(store, { project_id: (await addProject(store)).id, node_id: id }),
  'node.has_routes': async (store, { id }) => {
    const project_id = (await addProject(store)).id
    const instance = await addInstance(store, { project_id, node_id: (await addNode(store)).id })
    return addRoute(store, instance, { node_id: id })
  },
  'schedule.target_in_use': ({ db }, { id }) =>
    addSchedule(
      { db },
      {
        node_id: id,
      },
    ),
  'node.has_roles': (store, { id }) => addRole(store, { node_id: id, role: 'database' }),
  'node.has_processes': ({ db }, { id }) =>
    addProcess(
      { db },
      {
        node_id: id,
      },
    ),
  'node.has_firewall_rules': ({ db }, { id }) =>
    db
      .insertInto('firewall_rules')
      .values({
        node_id: id,
        name: 'dns',
        action: 'deny',
        source: '192.0.2.0/24',
        protocol: 'udp',
        port: '53',
        status: 'active',
        created_at,
      })
      .execute(),
  'node.has_database_servers': ({ db }, { id }) =>
    db
      .insertInto('database_servers')
      .values({
        slug: 'shop',
        node_id: id,
        engine: 'pgsql',
        tag: '17',
        port: 5432,
        status: 'active',
        created_at,
      })
      .execute(),
}

for (const [code, own] of Object.entries(OWNED))
  test(`an offline removal asks the Node first, and one that answers is kept with ${code} [NODE-094]`, async () => {
    await using store = await openTestStore()
    const gateway = await addGatewayNode(store)
    const joined = {
      wireguard_public_key: 'key',
      ssh_host_fingerprint: 'SHA256:x',
      platform: 'linux',
    } as const
    const node = await addNode(store, { roles: [], ...joined })
    await own(store, node)
    const asked: string[] = []
    const ssh = {
      probe: async ({ host }: { readonly host: string }) => void asked.push(host),
    } as unknown as SshPool // A refused removal asks nothing else.
    const { handlers } = testDomains({ store, ssh }).lifecycle
    const call = fakeCall({ caller: asCaller(gateway, true) })
    await assert.rejects(handlers['node:remove']({ call, input: { node: node.id, offline: true } }), {
      code,
      status: 409,
    })
    assert.deepEqual(asked, [node.wireguard_ip])
    assert.ok(await store.db.selectFrom('nodes').where('id', '=', node.id).select('id').executeTakeFirst())
  })

test('a Node keeps its Routes, and a Cluster too: neither is removed with them [RTE-164, RTE-168, RTE-169, CLU-042]', async () => {
  await using store = await openTestStore()
  const gateway = await addGatewayNode(store)
  const call = () => fakeCall({ caller: asCaller(gateway, true) })
  const { lifecycle, clusters } = testDomains({ store })
  const removed = async (given: Partial<NewRow<'routes'>>) => {
    const node = await addNode(store, { roles: [], wireguard_public_key: 'key', platform: 'linux' })
    const project_id = (await addProject(store)).id
    const elsewhere = await addInstance(store, { project_id, node_id: (await addNode(store)).id })
    const domain = `r${node.id}.example`
    await addRoute(store, elsewhere, { node_id: node.id, domain, ...given })
    const work = lifecycle.handlers['node:remove']({ call: call(), input: { node: node.id } })
    await assert.rejects(work, { code: 'node.has_routes', status: 409 })
    assert.ok(await store.db.selectFrom('nodes').where('id', '=', node.id).select('id').executeTakeFirst())
  }
  await removed({})
  await removed({ status: 'pending' })
  await removed({ kind: 'custom_proxy', project_id: null, upstream: 'http://127.0.0.1:1' })
  const { id } = await addCluster(store)
  const project = await addProject(store)
  const instance = await addInstance(store, { project_id: project.id, node_id: gateway.id })
  await addRoute(store, instance, { node_id: null, cluster_id: id, domain: 'cluster.example' })
  const destroy = clusters.handlers['cluster:destroy']({ call: call(), input: { cluster: id } })
  await assert.rejects(destroy, { code: 'cluster.has_routes', status: 409, details: { routes: 1 } })
})

for (const role of ['app-dev', 'app-prod'] as const)
  test(`the role ${role} stays on a Node that hosts the Instance of a Route, and one that has a Route [RTE-170]`, async () => {
    await using store = await openTestStore()
    const gateway = await addGatewayNode(store)
    const project_id = (await addProject(store)).id
    const hosting = await addNode(store, { roles: [role] })
    const serving = await addNode(store, { roles: [role] })
    const instance = await addInstance(store, { project_id, node_id: hosting.id })
    await addRoute(store, instance, { node_id: serving.id })
    const { roleHandlers } = testDomains({ store })
    for (const [node, counts] of [
      [hosting, { instances: 1, routes: 0 }],
      [serving, { instances: 0, routes: 1 }],
    ] as const) {
      const call = fakeCall({ caller: asCaller(gateway, true) })
      await assert.rejects(roleHandlers['node:role:remove']({ call, input: { node: node.id, role } }), {
        code: 'node_role.in_use',
        details: { role, reason: 'hosts_instances_or_routes', ...counts },
      })
    }
  })
