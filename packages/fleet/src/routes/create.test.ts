import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationOf } from '#/routes/input.test.ts'
import { CodedError } from '@fleet/kernel'
import { addCluster, addNode, fakeCall } from '@fleet/testing'
import { holding, lockOf } from '#/locks/api.ts'
import { makeRoutes } from '#/routes/api.ts'
import { deleteRoutes } from '#/routes/queries.ts'
import { create, startWorld, UPSTREAM } from '#/routes/world.test.ts'

test('a custom proxy is stored, gets its leaf, its site and last its name [RTE-006, RTE-047, RTE-048, RTE-160, RTE-189, EV-048]', async () => {
  await using world = await startWorld()
  const call = fakeCall()
  const { data, created } = await create(world, { domain: 'Mail.Internal.' }, call)
  assert.equal(created, true)
  assert.deepEqual(data, {
    id: data.id,
    kind: 'custom_proxy',
    project_id: null,
    node_id: world.node.id,
    cluster_id: null,
    generation_basis_node_id: null,
    domain: 'mail.internal',
    web_root: null,
    provenance: 'explicit',
    publication: 'private',
    status: 'active',
    failed_step: null,
    error_code: null,
    replaces_route_id: null,
    replaced_by_route_id: null,
    replacement_step: null,
    target_set_step: null,
    target: null,
    targets: [],
    process_id: null,
    upstream: UPSTREAM,
    analytics_instance_id: null,
  })
  assert.deepEqual(world.done, [`leaf route-${data.id}`, 'sites mail.internal', 'names mail.internal'])
  assert.deepEqual(
    call.steps.filter((step) => step.endsWith('started')),
    ['certificate started', 'caddy started', 'dns started', 'activate started'],
  )
  assert.deepEqual(call.events, [{ type: 'route.created', data }])
  assert.deepEqual([call.notes.target, call.notes.subject], [world.node.id, `route:${data.id}`])
})

test('the identical request answers the stored Route and does nothing [RTE-049]', async () => {
  await using world = await startWorld()
  const { data } = await create(world)
  world.done.length = 0
  const call = fakeCall()
  assert.deepEqual(await create(world, { upstream: 'http://127.0.0.1:8025/' }, call), {
    data,
    created: false,
  })
  assert.deepEqual([world.done, call.events], [[], []])
})

test('other values of the same owner are a repeat gone wrong, another owner is a conflict [RTE-073, RTE-075, RTE-158]', async () => {
  await using world = await startWorld()
  const { data } = await create(world)
  const details = { domain: 'mail.internal', existing_route_id: data.id }
  await assert.rejects(create(world, { upstream: 'http://127.0.0.1:1' }), {
    code: 'route.retry_conflict',
    message: /Different: `upstream`\.$/,
    details: { ...details, members: ['upstream'] },
  })
  const other = await addNode(world.store)
  await assert.rejects(create(world, { node_id: other.id }), { code: 'route.domain_conflict', details })
})

test('each refusal comes before any change [RTE-065, RTE-066, RTE-067, RTE-072, RTE-074, RTE-076, RTE-085, RTE-087, RTE-159, RTX-008]', async () => {
  await using world = await startWorld()
  const failed = await addNode(world.store, { status: 'failed' })
  const outside = await addNode(world.store, { wireguard_ip: null })
  await addNode(world.store, { name: 'Db-1' })
  for (const [given, code] of [
    [{ domain: 'a b' }, 'route.domain_invalid'],
    [{ domain: 'gateway.fleet' }, 'route.domain_conflict'],
    [{ domain: 'db-1.fleet' }, 'route.domain_conflict'],
    [{ node_id: undefined }, 'route.scope_required'],
    [{ upstream: undefined }, 'validation.failed'],
    [{ process_id: 3 }, 'validation.failed'],
    [{ upstream: undefined, process_id: 3 }, 'process.not_found'],
    [{ upstream: 'http://10.0.0.1:80' }, 'route.upstream_invalid'],
    [{ publication: 'public' }, 'validation.failed'],
    [{ web_root: 'public' }, 'validation.failed'],
    [{ node_id: 999 }, 'node.not_found'],
    [{ node_id: failed.id }, 'route.node_inactive'],
    [{ node_id: outside.id }, 'route.node_inactive'],
  ] as const)
    await assert.rejects(create(world, given), { code }, JSON.stringify(given))
  assert.deepEqual(world.done, [])
  assert.equal(await world.routes.countOn(world.node.id), 0)
  // RTX-008.
  const longest = `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(61)
  for (const [domain, isTaken] of [
    [longest, true],
    [`${longest}b`, false],
  ] as const)
    for (const name of ['route:create', 'route:update', 'instance:rename'] as const)
      assert.equal(
        operationOf(name)
          .input.safeParse({ domain, route: 1, instance: 1 })
          .error?.issues.some(({ path }) => path[0] === 'domain') ?? false,
        !isTaken,
        name,
      )
  for (const member of ['project_id', 'cluster_id', 'target', 'kind'])
    assert.equal(
      operationOf('route:create').input.safeParse({ domain: 'a.test', [member]: 1 }).success,
      false,
      member,
    )
})

test('an Instance determines the Node: whatever else is named beside it is refused [RTE-065]', async () => {
  await using world = await startWorld()
  const alone = { node_id: undefined, upstream: undefined, instance_id: 1 }
  for (const [member, value] of [
    ['node_id', world.node.id],
    ['upstream', UPSTREAM],
    ['process_id', 3],
  ] as const)
    await assert.rejects(create(world, { ...alone, [member]: value }), {
      code: 'validation.failed',
      details: { errors: { [member]: ['not allowed beside instance_id'] } },
    })
})

test('a Node of a Cluster keeps the scope of its own [RTE-010, RTE-159]', async () => {
  await using world = await startWorld()
  const cluster = await addCluster(world.store, {}, [world.node])
  const { data } = await create(world)
  assert.deepEqual([data.node_id, data.cluster_id], [world.node.id, null])
  assert.equal((await world.deps.nodes.find(world.node.id))?.cluster_id, cluster.id)
})

test('a step that fails leaves the Route failed with step and code, no name is answered, and the identical request says so [RTE-019, RTE-048, RTE-055]', async () => {
  for (const [what, step, done] of [
    ['leaf', 'certificate', 1],
    ['site', 'caddy', 2],
    ['name', 'dns', 3],
  ] as const) {
    await using world = await startWorld()
    world.broken.set(what, 'certificate.publication_failed')
    const call = fakeCall()
    const error: unknown = await create(world, {}, call).catch((cause: unknown) => cause)
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, 'certificate.publication_failed')
    assert.equal(world.done.length, done)
    assert.equal(world.names.size, 0)
    assert.deepEqual(call.events, [])
    world.broken.clear()
    const { data, created } = await create(world)
    assert.deepEqual(
      [data.status, data.failed_step, data.error_code, created],
      ['failed', step, 'certificate.publication_failed', false],
    )
    assert.deepEqual(error.details, { step, failed_route_id: data.id })
    assert.equal(world.done.length, done)
  }
})

test('a gateway without a private network serves no Routes', async () => {
  await using world = await startWorld()
  const { handlers } = makeRoutes({ ...world.deps, network: { settings: async () => undefined } })
  const input = { domain: 'mail.internal', node_id: world.node.id, upstream: UPSTREAM }
  await assert.rejects(handlers['route:create']({ call: fakeCall(), input }), {
    code: 'node.capability_missing',
    details: { capability: 'routes' },
  })
  assert.equal(await world.routes.countOn(world.node.id), 0)
  const missing = { domain: 'shop.internal', instance_id: 9999 }
  await assert.rejects(handlers['route:create']({ call: fakeCall(), input: missing }), {
    code: 'route.target_inactive',
  })
})

test('of identical requests at one moment one creates and all answer the same Route', async () => {
  await using world = await startWorld()
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(world)))
  assert.equal(new Set(answers.map(({ data }) => data.id)).size, 1)
  assert.equal(answers.filter(({ created }) => created).length, 1)
  assert.equal(world.done.length, 3)
})

test('a Route that is removed while the identical request waits for it is created again [RTE-055]', async () => {
  for (const status of ['active', 'activating'] as const) {
    await using world = await startWorld()
    const { data: earlier } = await create(world)
    const { store } = world
    await store.db.updateTable('routes').set({ status }).execute()
    const call = fakeCall()
    const { promise: isFound, resolve } = Promise.withResolvers<void>()
    const subject: typeof call.note.subject = (...given) => {
      call.note.subject(...given)
      resolve()
    }
    const creating = await holding(store, fakeCall(), lockOf('route', earlier.id), async () => {
      const work = create(world, {}, { ...call, note: { ...call.note, subject } })
      await isFound
      world.done.length = 0
      await deleteRoutes(store.db, [earlier.id])
      return { work }
    })
    const { data, created } = await creating.work
    assert.deepEqual([created, data.status, data.domain], [true, 'active', 'mail.internal'])
    assert.notEqual(data.id, earlier.id)
    assert.deepEqual(world.done, [`leaf route-${data.id}`, 'sites mail.internal', 'names mail.internal'])
    assert.deepEqual(
      [call.events, call.notes.subject],
      [[{ type: 'route.created', data }], `route:${data.id}`],
    )
  }
})

test('the name of a Node is the domain of no Route of another Node, and of its own it may be', async () => {
  await using world = await startWorld()
  const other = await addNode(world.store, { name: 'Db-1' })
  await assert.rejects(create(world, { domain: 'DB-1.fleet' }), {
    code: 'route.domain_conflict',
    message: 'The Node Db-1 has this name in the private network. Choose another domain.',
    details: { domain: 'db-1.fleet' },
  })
  for (const domain of ['a.db-1.fleet', 'db-1.internal', `${world.node.name}.fleet`])
    assert.equal((await create(world, { domain })).data.domain, domain)
  // What was there first is repeated as before.
  const rename = (id: number, name: string) =>
    world.store.db.updateTable('nodes').set({ name }).where('id', '=', id).execute()
  await rename(world.node.id, 'old')
  await rename(other.id, 'web-1')
  assert.equal((await create(world, { domain: 'web-1.fleet' })).created, false)
})
