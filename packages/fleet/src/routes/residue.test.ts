import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '@fleet/store'
import { addNode, asCaller, fakeCall, openTestStore, scriptedPool, testDomains } from '@fleet/testing'
import { addResidues, residuesOn } from '#/routes/queries.ts'

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
    assert.deepEqual(await routes.residue.converge(session, { force: false }), {
      skipped: 'app-dev.caddy_config_failed',
    })
  }
  const kept = await residuesOn(store.db, id)
  assert.deepEqual(
    kept.map(({ domain, attempts }) => [domain, attempts]),
    [['gone.example', 2]],
  )
  assert.deepEqual(ssh.asked, [])
})
