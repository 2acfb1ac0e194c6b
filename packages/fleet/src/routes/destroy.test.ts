import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { fakeCall } from '@fleet/testing'
import { unreachableOr } from '#/routes/steps/removal.ts'
import { create, destroy, startWorld } from '#/routes/world.test.ts'

test('a removal takes the name first, then the site, then the certificate, and frees the domain [RTE-163, RTX-004, RTX-063, EV-051]', async () => {
  await using world = await startWorld()
  const { data } = await create(world)
  world.done.length = 0
  const call = fakeCall()
  const removed = await destroy(world, data.id, false, call)
  assert.deepEqual(removed.data, { ...data, retained_on_nodes: [] })
  assert.deepEqual(world.done, ['names none', 'sites none', `no leaf route-${data.id}`])
  assert.deepEqual(call.events, [{ type: 'route.deleted', data: { id: data.id, domain: 'mail.internal' } }])
  assert.equal(await world.routes.countOn(world.node.id), 0)
  assert.notEqual((await create(world)).data.id, data.id)
})

test('a removal that fails leaves the Route failed with its step; the identical request begins again and finishes [RTX-029]', async () => {
  for (const [what, step] of [
    ['name', 'dns'],
    ['site', 'caddy'],
    ['leaf gone', 'certificate'],
  ] as const) {
    await using world = await startWorld()
    const { data } = await create(world)
    world.broken.set(what, 'dns.write_failed')
    const call = fakeCall()
    await assert.rejects(destroy(world, data.id, false, call), { code: 'dns.write_failed' })
    assert.deepEqual(call.events, [])
    const shown = await world.routes.handlers['route:show']({ call: fakeCall(), input: { route: data.id } })
    assert.deepEqual(
      [shown.data.status, shown.data.failed_step, shown.data.error_code],
      ['failed', step, 'dns.write_failed'],
    )
    world.broken.clear()
    world.done.length = 0
    await destroy(world, data.id)
    assert.deepEqual(world.done, ['names none', 'sites none', `no leaf route-${data.id}`])
    assert.deepEqual([world.machine.leaves.size, world.machine.sites.size, world.names.size], [0, 0, 0])
  }
})

test('a failed creation is removed and made again [RTE-055]', async () => {
  await using world = await startWorld()
  world.broken.set('site', 'app-dev.caddy_config_failed')
  await assert.rejects(create(world))
  world.broken.clear()
  const failed = await create(world)
  await destroy(world, failed.data.id)
  const { data } = await create(world)
  assert.deepEqual([data.status, data.id === failed.data.id], ['active', false])
})

test('a Node that does not answer is named with the way out; step and code stay in the details, and the Route is failed [RTE-174, RTX-066]', async () => {
  await using world = await startWorld()
  const { data } = await create(world)
  world.broken.set('site', 'node.unreachable')
  await assert.rejects(destroy(world, data.id), {
    code: 'route.node_unreachable',
    status: 502,
    message: /web-1 does not answer.*--offline/,
    details: { node: { id: world.node.id, name: 'web-1' }, step: 'caddy', error_code: 'node.unreachable' },
  })
  const shown = await world.routes.handlers['route:show']({ call: fakeCall(), input: { route: data.id } })
  assert.deepEqual([shown.data.status, shown.data.failed_step], ['failed', 'caddy'])
})

test('a `vpn` Node that does not answer is named, without the option that does not help [RTE-174]', async () => {
  await using world = await startWorld()
  const { data } = await create(world)
  world.broken.set('name', 'node.unreachable')
  await assert.rejects(destroy(world, data.id), (error) => {
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, 'route.node_unreachable')
    assert.doesNotMatch(error.message, /--offline/)
    return true
  })
  const hub = { id: 9, name: 'hub' }
  const cause = fail('node.unreachable', { details: { node: hub } })
  const error = unreachableOr({ step: 'dns', cause }, world.node)
  assert.ok(error instanceof CodedError)
  assert.deepEqual(error.details, { node: hub, step: 'dns', error_code: 'node.unreachable' })
})

test('offline removes the record of a silent Node, says what stays, and convergence takes that away [RTE-056, RTE-057, RTE-070, RTE-175, RTE-177, RTE-178, RTE-180]', async () => {
  await using world = await startWorld()
  const { data } = await create(world)
  world.answers = false
  world.done.length = 0
  const removed = await destroy(world, data.id, true)
  assert.deepEqual(removed.data.retained_on_nodes, [
    { node_id: world.node.id, node: 'web-1', steps: ['caddy', 'certificate'] },
  ])
  assert.deepEqual(world.done, ['names none'])
  assert.deepEqual([world.machine.leaves.size, world.machine.sites.size], [1, 1])
  const [residues] = world.routes.checks
  const issues = (await residues?.checksOf(fakeCall(), world.node)) ?? []
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['node.route_residue_retained'],
  )

  assert.notEqual(await world.routes.residue.digest(world.node), undefined)
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
  assert.deepEqual([world.machine.leaves.size, world.machine.sites.size], [0, 0])
  assert.equal(await world.routes.residue.digest(world.node), undefined)
})

test('offline sends a Node that answers the same steps, and their failure is no silence [RTE-175, RTE-176]', async () => {
  await using world = await startWorld()
  const { data } = await create(world)
  world.broken.set('site', 'app-dev.caddy_config_failed')
  await assert.rejects(destroy(world, data.id, true), { code: 'app-dev.caddy_config_failed' })
  world.broken.clear()
  assert.deepEqual((await destroy(world, data.id, true)).data.retained_on_nodes, [])
  assert.deepEqual([world.machine.leaves.size, world.machine.sites.size], [0, 0])
})

test('a residue that cannot be cleared stays and counts the attempt; removing its Node takes it along [RTE-181, RTE-182]', async () => {
  await using world = await startWorld()
  const { data } = await create(world)
  world.answers = false
  await destroy(world, data.id, true)
  world.broken.set('leaf gone', 'certificate.publication_failed')
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  const { residue } = world.routes
  const { message } = fail('certificate.publication_failed')
  assert.deepEqual(await residue.converge(session, { force: false }), {
    skipped: 'certificate.publication_failed',
    message,
  })
  const rows = () => world.store.db.selectFrom('route_residues').selectAll().execute()
  assert.deepEqual(
    (await rows()).map(({ attempts, domain }) => [attempts, domain]),
    [[1, 'mail.internal']],
  )
  await world.store.db.deleteFrom('nodes').where('id', '=', world.node.id).execute()
  assert.deepEqual(await rows(), [])
})
