import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addInstance, addNode, addProcess, addProject, fakeCall, forEachDialect } from '@fleet/testing'
import { create, startWorld, type World } from '#/routes/world.test.ts'

const DOMAIN = 'mail.internal'

const addMail = ({ store }: World, owner: { readonly node_id: number } | { readonly instance_id: number }) =>
  addProcess(store, {
    ...owner,
    name: 'mail',
    runtime_config: JSON.stringify({ command: ['/usr/bin/mail'], preset: null }) as never, // As the store keeps it.
    restart_policy: 'always',
    desired_state: 'running',
  })

const lead = (world: World, process_id: number) =>
  world.routes.handlers['route:create']({
    call: fakeCall(),
    input: { domain: DOMAIN, node_id: world.node.id, process_id },
  })

forEachDialect(
  'a custom proxy leads to the one port on which a Process of its Node listens [RTE-026, RTE-160]',
  async (dialect) => {
    await using world = await startWorld({ dialect })
    const process = await addMail(world, { node_id: world.node.id })
    world.listeners = [{ host: '127.0.0.1', port: 8025 }]
    const { data, created } = await lead(world, process.id)
    assert.equal(created, true)
    assert.deepEqual([data.status, data.process_id, data.upstream], ['active', process.id, null])
    assert.equal(world.machine.sites.get(DOMAIN), 'proxy')
    const [stored] = await world.store.db.selectFrom('routes').select('upstream').execute()
    assert.equal(stored?.upstream, 'http://127.0.0.1:8025')
    assert.deepEqual(await lead(world, process.id), { data, created: false })
    // The same domain to another target is another Route.
    await assert.rejects(create(world, { upstream: 'http://127.0.0.1:8025' }), {
      code: 'route.retry_conflict',
      details: { domain: DOMAIN, existing_route_id: data.id, members: ['upstream'] },
    })
    assert.deepEqual(await world.routes.routeTo(process.id).then((route) => route?.domain), DOMAIN)
    assert.equal(await world.routes.routeTo(process.id + 1), undefined)
  },
)

test('a Process that listens on ::1 alone is reached there', async () => {
  await using world = await startWorld()
  const process = await addMail(world, { node_id: world.node.id })
  world.listeners = [{ host: '[::1]', port: 8025 }]
  await lead(world, process.id)
  const [stored] = await world.store.db.selectFrom('routes').select('upstream').execute()
  assert.equal(stored?.upstream, 'http://[::1]:8025')
})

test('a Process that listens on no port, or on several, has no single one to lead to [RTE-088]', async () => {
  await using world = await startWorld()
  const process = await addMail(world, { node_id: world.node.id })
  for (const ports of [[], [8025, 1025]]) {
    world.listeners = ports.map((port) => ({ host: '127.0.0.1', port }))
    await assert.rejects(lead(world, process.id), ({ code, status, details }) => {
      assert.deepEqual([code, status, details.ports], ['route.upstream_unresolved', 422, ports])
      return true
    })
  }
  assert.deepEqual(await world.store.db.selectFrom('routes').selectAll().execute(), [])
})

test('a Process of an Instance, of another Node, or one that is not installed is none of the serving Node [RTE-089]', async () => {
  await using world = await startWorld()
  world.listeners = [{ host: '127.0.0.1', port: 8025 }]
  const { id: project_id } = await addProject(world.store)
  const instance = await addInstance(world.store, { project_id, node_id: world.node.id })
  const elsewhere = await addNode(world.store, { name: 'web-2' })
  const failed = await addMail(world, { node_id: world.node.id })
  await world.store.db.updateTable('processes').set({ status: 'failed' }).execute()
  for (const process of [
    failed,
    await addMail(world, { instance_id: instance.id }),
    await addMail(world, { node_id: elsewhere.id }),
  ])
    await assert.rejects(lead(world, process.id), { code: 'route.process_conflict', status: 409 })
  await assert.rejects(lead(world, 999), { code: 'process.not_found', status: 404 })
  assert.deepEqual(await world.store.db.selectFrom('routes').selectAll().execute(), [])
})
