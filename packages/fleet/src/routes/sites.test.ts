import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeRecord } from '#/nodes/api.ts'
import type { ProxyRecord } from '#/routes/record.ts'
import { routeSites, siteOf } from '#/routes/sites.ts'
import { addApp, createFor, createInstance, startWorld, UPSTREAM } from '#/routes/world.test.ts'

test('a private site is bound to the address of the tunnel and to that of the LAN where there is one [RTX-082]', async () => {
  await using world = await startWorld()
  const route = { id: 7, domain: 'mail.internal', upstream: UPSTREAM } as ProxyRecord // What a site is made of.
  const listenersOf = (given: Pick<NodeRecord, 'wireguard_ip' | 'lan_ip'>) =>
    siteOf({ ...world.node, ...given }, route).map(({ listener }) => listener)
  assert.deepEqual(listenersOf({ wireguard_ip: '10.44.0.7', lan_ip: '192.168.7.7' }), [
    { kind: 'tcp', addresses: ['10.44.0.7', '192.168.7.7'] },
  ])
  assert.deepEqual(listenersOf({ wireguard_ip: '10.44.0.7', lan_ip: null }), [
    { kind: 'tcp', addresses: ['10.44.0.7'] },
  ])
  assert.deepEqual(listenersOf({ wireguard_ip: null, lan_ip: null }), [])
})

test('every Route of an Instance that may sleep wakes it, its own one and those of further directories; no Route of another does [RTE-150]', async () => {
  await using world = await startWorld()
  const { store, node } = world
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  await createFor(world, data.id, { domain: 'admin.example', web_root: 'apps/admin/public' })
  await createInstance(world, { project_id: project.id, name: 'awake' })
  await store.db
    .insertInto('processes')
    .values({
      instance_id: data.id,
      name: 'queue',
      runtime: 'systemd',
      runtime_config: { command: ['/bin/true'], preset: null },
      restart_policy: 'never',
      keep_alive: 0,
      desired_state: 'running',
      status: 'active',
      created_at: '2026-01-02T03:04:05.000Z',
    })
    .execute()
  const sites = await routeSites(world.parts, node)
  assert.deepEqual(
    sites.map(({ domain, hibernation }) => [domain, hibernation]),
    [
      ['shop.test', { instanceId: data.id, gateway: 'gateway.fleet' }],
      ['admin.example', { instanceId: data.id, gateway: 'gateway.fleet' }],
      ['awake.shop.test', undefined],
    ],
  )
})
