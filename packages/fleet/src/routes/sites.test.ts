import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addProcess, fakeCall } from '@fleet/testing'
import type { PublishedLeaf } from '#/certificates/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { ProxyRecord } from '#/routes/record.ts'
import { makeSiteSource, routeSites, siteOf } from '#/routes/sites.ts'
import { featuresOf, renderCaddyfile } from '#/web-server/api.ts'
import { addApp, create, createFor, createInstance, startWorld, UPSTREAM } from '#/routes/world.test.ts'

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
  await addProcess(store, {
    instance_id: data.id,
    desired_state: 'running',
  })
  const sites = await routeSites(world.deps, node)
  assert.deepEqual(
    sites.map(({ domain, hibernation }) => [domain, hibernation]),
    [
      ['shop.test', { instanceId: data.id, gateway: 'gateway.fleet' }],
      ['admin.example', { instanceId: data.id, gateway: 'gateway.fleet' }],
      ['awake.shop.test', undefined],
    ],
  )
})

test('a development site leads what is below the path of Vite to its port with the path kept; without a port, and in production, to nothing [RTX-087]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  const rendered = async (vite_port: number | null, environment: 'development' | 'production') => {
    await world.store.db
      .updateTable('instances')
      .set({ vite_port, environment, production_user: 'shop', production_home: '/home/shop' })
      .where('id', '=', data.id)
      .execute()
    return renderCaddyfile(await routeSites(world.deps, world.node), {
      features: featuresOf({ major: 2, minor: 6 }),
      root: '/root.crt',
    })
  }
  assert.ok(
    (await rendered(5173, 'development')).includes(
      '\t@vite path /__fleet/vite /__fleet/vite/*\n\thandle @vite {\n\t\treverse_proxy 127.0.0.1:5173\n\t}\n',
    ),
  )
  assert.doesNotMatch(await rendered(null, 'development'), /__fleet/)
  assert.doesNotMatch(await rendered(5173, 'production'), /__fleet/)
})

test('a converge publishes the leaves of all sites of its Node to be loaded together', async () => {
  await using world = await startWorld()
  const call = fakeCall()
  for (const domain of ['a.internal', 'b.internal'])
    await create(world, { domain, node_id: world.node.id, upstream: UPSTREAM })
  const { certificates } = world.deps
  const asked: PublishedLeaf[] = []
  const source = makeSiteSource({
    ...world.deps,
    certificates: {
      ...certificates,
      publishLeaves: async (_session, leaves) => (asked.push(...leaves), leaves),
    },
  })
  await source.publishLeaves(world.deps.nodes.sessions.overTunnel(call, world.node))
  assert.deepEqual(
    asked.map(({ names, isLoadedLater }) => [...names, isLoadedLater]),
    [
      ['a.internal', true],
      ['b.internal', true],
    ],
  )
})
