import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '@fleet/store'
import { fail } from '@fleet/contract'
import {
  addInstance,
  addNode,
  asCaller,
  fakeCall,
  openTestStore,
  scriptedPool,
  testDomains,
} from '@fleet/testing'
import { addResidues, residuesOn } from '#/routes/queries.ts'
import { addApp, createInstance, destroyInstance, startWorld } from '#/routes/world.test.ts'

const created_at = '2026-01-02T03:04:05.000Z'

test('what a removed Route left is not looked for on a Node that is no Linux machine or not active [RTE-179]', async () => {
  await using store = await openTestStore()
  const ssh = scriptedPool()
  const { lifecycle, network } = testDomains({ store, ssh })
  await network.configure({ range: '10.0.0.0/8', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  const node = await addNode(store, { platform: 'linux', architecture: 'x86_64' })
  await addResidues(store.db, [
    {
      node_id: node.id,
      route_id: 4711,
      domain: 'gone.example',
      retained_steps: ['caddy'],
      leaf_scope: null,
      created_at,
    },
  ])
  const before = await residuesOn(store.db, node.id)
  const refusals: ReadonlyArray<readonly [Partial<Row<'nodes'>>, string]> = [
    [{ platform: 'macos' }, 'node.converge_unsupported'],
    [{ status: 'failed' }, 'node.not_active'],
  ]
  for (const [values, code] of refusals) {
    await store.db.updateTable('nodes').set(values).where('id', '=', node.id).execute()
    const call = fakeCall({ caller: asCaller(node, true) })
    await assert.rejects(lifecycle.handlers['node:converge']({ call, input: { node: node.id } }), { code })
    assert.deepEqual(await residuesOn(store.db, node.id), before)
    const { platform, status } = node
    await store.db.updateTable('nodes').set({ platform, status }).where('id', '=', node.id).execute()
  }
  assert.deepEqual(ssh.asked, [])
})

test('it stays on a Node without an address in the tunnel or without a known host key, which nothing is sent to [RTE-179]', async () => {
  await using store = await openTestStore()
  const ssh = scriptedPool()
  const { network, nodes, routes } = testDomains({ store, ssh })
  await network.configure({ range: '10.0.0.0/8', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  const { id } = await addNode(store, { platform: 'linux', architecture: 'x86_64' })
  const node = (await nodes.nodes.find(id)) ?? assert.fail('the Node is gone')
  const left = { route_id: 4711, domain: 'gone.example', retained_steps: ['caddy'], leaf_scope: null }
  await addResidues(store.db, [{ node_id: id, ...left, created_at }])
  for (const lacking of [{ wireguard_ip: null }, { ssh_host_fingerprint: null }]) {
    const session = nodes.nodes.sessions.overTunnel(fakeCall(), { ...node, ...lacking })
    const result = await routes.residue.converge(session, { force: false })
    assert.partialDeepStrictEqual(result, { skipped: 'app-dev.caddy_config_failed' })
  }
  const kept = await residuesOn(store.db, id)
  assert.deepEqual(
    kept.map(({ domain, attempts }) => [domain, attempts]),
    [['gone.example', 2]],
  )
  assert.deepEqual(ssh.asked, [])
})

test('a checkout whose permissions cannot be set keeps neither certificate nor site nor another checkout; what is left is named [RTE-180, RTE-181, SRC-001, DOC-027]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  world.answers = false
  await destroyInstance(world, data.id, { force: true, offline: true })
  world.answers = true
  const job = { project_id: project.id, node_id: world.node.id, environment: 'development' } as const
  for (const name of ['job', 'other'])
    await addInstance(world.store, { ...job, name, checkout_path: `/srv/${name}`, status: 'active' })
  const { sourceAccess } = world.deps
  const { apply } = sourceAccess
  const applied: string[] = []
  const [foreign, message] = [{ step: 'source-access', reason: 'foreign_owner' }, 'It is of another user.']
  Object.assign(sourceAccess, {
    apply: async (...[, path]: Parameters<typeof apply>) => {
      applied.push(path)
      if (path === '/srv/job')
        throw fail('app-dev.source_access_failed', {
          message,
          details: { ...foreign, path: 'bin/worker.sh' },
        })
      return { warnings: [] }
    },
  })
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  const left = async () => {
    const rows = await residuesOn(world.store.db, world.node.id)
    return rows.map(({ retained_steps, attempts }) => [retained_steps, attempts])
  }
  assert.deepEqual(await world.routes.residue.converge(session, { force: false }), {
    skipped: 'app-dev.source_access_failed',
    message,
    details: { ...foreign, checkout_path: '/srv/job', path: '/srv/job/bin/worker.sh' },
  })
  const { leaves, sites, pools } = world.machine
  assert.deepEqual([leaves.size, sites.size, pools.size], [0, 0, 0])
  assert.deepEqual(applied, ['/srv/job', '/srv/other'])
  assert.deepEqual(await left(), [[['source-access'], 1]])
  const [checks] = world.routes.checks
  const [check] = (await checks?.checksOf(fakeCall(), world.node)) ?? []
  assert.deepEqual(check?.kind === 'stored' && (await check.judge()), {
    expected: 'none',
    observed: 'access of the web server to checkouts of shop.test',
  })
  Object.assign(sourceAccess, { apply })
  assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
  assert.deepEqual(await left(), [])
})

test('a residue whose certificate or pool stays keeps no other residue on the Node [RTE-180, RTE-181]', async () => {
  await using world = await startWorld()
  const { db } = world.store
  const row = { node_id: world.node.id, retained_steps: ['caddy', 'certificate'], created_at }
  await addResidues(db, [
    { ...row, route_id: 71, domain: 'one.example', leaf_scope: 'app-instance-9' },
    { ...row, route_id: 72, domain: 'two.example', leaf_scope: null },
  ])
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  const converge = () => world.routes.residue.converge(session, { force: false })
  const left = async () =>
    (await residuesOn(db, world.node.id)).map(({ domain, retained_steps }) => [domain, retained_steps])
  const { withdrawLeaf } = world.deps.certificates
  Object.assign(world.deps.certificates, {
    withdrawLeaf: async (...given: Parameters<typeof withdrawLeaf>) => {
      if (given[1].scope === 'app-instance-9') throw fail('certificate.publication_failed')
      return withdrawLeaf(...given)
    },
  })
  assert.partialDeepStrictEqual(await converge(), { skipped: 'certificate.publication_failed' })
  assert.deepEqual(await left(), [['one.example', ['caddy', 'certificate']]])
  Object.assign(world.deps.certificates, { withdrawLeaf })
  world.broken.set('pool', 'app-dev.php_pool_directory_missing')
  assert.partialDeepStrictEqual(await converge(), { skipped: 'app-dev.php_pool_directory_missing' })
  assert.deepEqual(await left(), [['one.example', ['php']]])
})
