import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@fleet/store'
import { addProcess, fakeCall } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { createFor, destroy, destroyInstance, startWorld, update, type World } from '#/routes/world.test.ts'
import { progressOf, transfer, twoNodes } from '#/routes/move-world.test.ts'

const shown = async (world: World, instance: number) =>
  (await world.instances.handlers['instance:show']({ call: fakeCall(), input: { instance } })).data

const removeNode = (world: World, id: number) =>
  world.store.transaction(async (db) => {
    await db.deleteFrom('node_roles').where('node_id', '=', id).execute()
    await db.deleteFrom('nodes').where('id', '=', id).execute()
  })

test('a destination that dies before the cutover leaves the Instance running where it was; what it has received goes when it answers again, or with its Node [INS-095, INS-099]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  world.silent.add(other.id)
  const failed = await refusalOf(transfer(world, request))
  assert.deepEqual(
    [failed.code, failed.status, failed.details['cause']],
    ['instance.transfer_failed', 502, 'node.unreachable'],
  )
  const progress = progressOf(failed)
  assert.deepEqual(
    [progress.status, progress.failed_step, progress.cutover_completed, progress.recovery_evidence],
    [
      'failed',
      'source_copy',
      false,
      { rollback_pending: true, incomplete: ['runtime_stop', 'source_copy'], sqlite_source_path: null },
    ],
  )
  const now = await shown(world, data.id)
  assert.deepEqual([now.node_id, now.status, now.route?.status], [data.node_id, 'active', 'active'])
  assert.equal((await world.instances.placements.openTransfers(other.id)).length, 1)
  await assert.rejects(destroyInstance(world, data.id, { force: true }), {
    code: 'instance.transfer_incomplete',
  })
  // Its Node is removed: the identical request closes the transfer.
  world.silent.clear()
  await removeNode(world, other.id)
  const closed = await refusalOf(transfer(world, request))
  assert.equal(closed.code, 'instance.transfer_failed')
  assert.deepEqual([progressOf(closed).status, progressOf(closed).recovery_evidence], ['rolled_back', null])
  assert.deepEqual(await world.instances.placements.openTransfers(other.id), [])
  await destroyInstance(world, data.id, { force: true })
})

for (const [part, what] of [
  ['name', 'name'],
  ['site', 'site'],
  ['certificate', 'leaf gone'],
] as const)
  test(`a withdrawal that stops at the ${part} of a Route is put back: the Instance is served where it was, as before [INS-095]`, async () => {
    await using world = await startWorld()
    const { other, data } = await twoNodes(world)
    const served = async () => ({
      route: await world.store.db
        .selectFrom('routes')
        .select(['status', 'has_source', 'has_site', 'has_name'])
        .executeTakeFirst(),
      names: [...world.names],
      sites: [...world.machines].map(([id, { sites }]) => [id, [...sites.keys()]]),
      leaves: [...world.machines].map(([id, { leaves }]) => [id, [...leaves]]),
    })
    const before = await served()
    world.broken.set(what, 'node.command_failed')
    world.worksAfter = { what, times: 1, seen: () => undefined }
    const failed = await refusalOf(transfer(world, { instance: data.id, node_id: other.id }))
    assert.deepEqual(
      [progressOf(failed).status, progressOf(failed).failed_step],
      ['rolled_back', 'route_withdrawal'],
    )
    assert.deepEqual(await served(), before)
    assert.equal((await shown(world, data.id)).node_id, data.node_id)
  })

test('a source that dies after the cutover keeps nobody from the Instance, and the transfer ends with its Node [INS-095, INS-099]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  world.checkouts.lost.add('delete source')
  const failed = await refusalOf(transfer(world, request))
  assert.deepEqual([failed.code, failed.status], ['instance.transfer_cleanup_incomplete', 502])
  assert.deepEqual(progressOf(failed).recovery_evidence, {
    rollback_pending: false,
    sqlite_source_path: null,
    incomplete: ['source_cleanup'],
  })
  const now = await shown(world, data.id)
  assert.deepEqual([now.node_id, now.domain, now.route?.status], [other.id, 'shop.there', 'active'])
  const setup = world.instances.handlers['instance:setup']({ call: fakeCall(), input: { instance: data.id } })
  await assert.rejects(setup, { code: 'instance.transfer_incomplete' })
  assert.equal((await world.instances.placements.openTransfers(data.node_id)).length, 1)
  await removeNode(world, data.node_id)
  const { data: moved, created } = await transfer(world, request)
  assert.deepEqual([created, moved.transfer?.status], [false, 'completed'])
})

/** What is recorded of an Instance that was given up, by the Node that has it. */
async function residuesIn({ store: { db } }: World) {
  const checkouts = await db.selectFrom('instance_residues').select('node_id').orderBy('node_id').execute()
  const units = await db.selectFrom('process_residues').select('node_id').orderBy('node_id').execute()
  return { checkouts: checkouts.map(({ node_id }) => node_id), units: units.map(({ node_id }) => node_id) }
}

test('a transfer that stands on a lost machine is given up with its Instance; the other Node keeps the copy that may be the last one', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  world.broken.set('access', 'node.command_failed')
  await assert.rejects(transfer(world, request), { code: 'instance.transfer_cleanup_incomplete' })
  const now = await shown(world, data.id)
  await addProcess(world.store, { instance_id: data.id, node_id: null })
  const open = { code: 'instance.transfer_incomplete' }
  await assert.rejects(destroyInstance(world, data.id, { force: true, offline: true }), open)
  world.silent.add(other.id)
  await assert.rejects(transfer(world, request), { code: 'instance.transfer_cleanup_incomplete' })
  await assert.rejects(destroyInstance(world, data.id, { force: true }), open)
  await assert.rejects(destroyInstance(world, data.id, { offline: true }), {
    code: 'node.confirmation_required',
  })
  const { data: removal } = await destroyInstance(world, data.id, { force: true, offline: true })
  const kept = (node_id: number, node: string, path: string) => ({ node_id, node, path, database: null })
  assert.deepEqual(removal.retained_on_nodes, [
    kept(other.id, other.name, now.checkout_path),
    kept(data.node_id, world.node.name, data.checkout_path),
  ])
  assert.deepEqual(await residuesIn(world), {
    checkouts: [other.id],
    units: [data.node_id, other.id].toSorted((a, b) => a - b),
  })
  for (const id of [data.node_id, other.id])
    assert.deepEqual(await world.instances.placements.openTransfers(id), [])
})

for (const [at, what] of [
  ['after', 'its copy, which may be the last one'],
  ['before', 'nothing: the rest of what it received goes when it converges'],
] as const)
  test(`an Instance whose machine is lost ${at} its copy was whole is given up, and its next Node keeps ${what}`, async () => {
    await using world = await startWorld()
    const { other, data } = await twoNodes(world)
    if (at === 'after') world.broken.set('name', 'node.command_failed')
    else for (const title of ['settle source', 'discard checkout']) world.checkouts.lost.add(title)
    await assert.rejects(transfer(world, { instance: data.id, node_id: other.id }))
    assert.deepEqual((await shown(world, data.id)).transfer?.status, 'failed')
    world.broken.clear()
    world.silent.add(data.node_id)
    const { data: removal } = await destroyInstance(world, data.id, { force: true, offline: true })
    const path = data.checkout_path
    const here = { node_id: data.node_id, node: world.node.name, path, database: null }
    const there = { ...here, node_id: other.id, node: other.name }
    assert.deepEqual(
      removal.retained_on_nodes.map((kept) => ({ ...kept, path })),
      at === 'after' ? [here, there] : [here],
    )
    const both = [data.node_id, other.id].toSorted((a, b) => a - b)
    assert.deepEqual((await residuesIn(world)).checkouts, at === 'after' ? [data.node_id] : both)
  })

test('a process that dies anywhere in a transfer leaves an Instance on one Node, which the identical request moves [INS-095, INS-096, EV-080]', async () => {
  await using first = await startWorld()
  const { other, data } = await twoNodes(first)
  const [here, there] = [data.node_id, other.id]
  const counted = await startWorld({ after: first })
  await transfer(counted, { instance: data.id, node_id: there })
  for (const [index, moment] of sampled(momentsOf(counted.mortal), 3).entries()) {
    const at = JSON.stringify(moment)
    const node_id = index % 2 === 0 ? here : there
    const dying = await startWorld({ after: first, moment })
    await assert.rejects(transfer(dying, { instance: data.id, node_id }), Died, at)
    const call = fakeCall()
    const again = await first.instances.handlers['instance:transfer']({
      call,
      input: { instance: data.id, node_id },
    })
    assert.deepEqual(
      [again.data.node_id, again.data.route?.status, again.data.transfer?.status],
      [node_id, 'active', 'completed'],
      at,
    )
    assert.ok(
      call.events.every(({ type }) => type === 'route.updated'),
      at,
    )
    const domain = node_id === here ? 'shop.here' : 'shop.there'
    assert.deepEqual([...first.names], [domain], at)
    const [on, off] = node_id === here ? [here, there] : [there, here]
    const path = (node: number) => first.checkouts.pathOn(node, again.data.checkout_path)
    assert.deepEqual(first.checkouts.at(path(off)), [], at)
    assert.ok(first.checkouts.at(path(on)).includes('source'), at)
    assert.deepEqual([...(first.machines.get(off)?.sites.keys() ?? [])], [], at)
  }
})

test('a database that fails with the answer of the commit and then with the record undoes nothing, and the identical request finishes [INS-095, INS-096]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  for (const [node_id, isCommitted] of [
    [other.id, true],
    [data.node_id, true],
    [other.id, false],
  ] as const) {
    const from = (await shown(world, data.id)).node_id
    const request = { instance: data.id, node_id }
    const lost = await refusalOf(transfer(await loses(world, isCommitted), request))
    assert.deepEqual([lost.code, lost.status], ['instance.transfer_cleanup_incomplete', 502])
    const path = world.checkouts.pathOn(node_id, data.checkout_path)
    assert.ok(world.checkouts.at(path).includes('source'))
    const { node_id: now, transfer: open } = await shown(world, data.id)
    assert.deepEqual([now, open?.status], [isCommitted ? node_id : from, 'running'])
    const moved = await transfer(world, request)
    assert.deepEqual(
      [moved.created, moved.data.node_id, moved.data.transfer?.status],
      [false, node_id, 'completed'],
    )
  }
})

/** The world behind a database that fails at the end of the cutover, after or before the commit, and at the read that follows. */
function loses(after: World, isCommitted: boolean): Promise<World> {
  const gone = new Error('the connection to the database ended')
  let state: 'before' | 'gone' | 'after' = 'before'
  const plugin: Parameters<Store['db']['withPlugin']>[0] = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (state !== 'gone') return result
      state = 'after'
      throw gone
    },
  }
  return startWorld({
    after,
    behind: (store) => ({
      ...store,
      db: store.db.withPlugin(plugin),
      transaction: async (work) => {
        const result = await store.transaction(async (db) => {
          const done = await work(db)
          const rows = await db.selectFrom('instances').select(['node_id', 'transfer']).execute()
          const isMoved = rows.some(
            ({ node_id, transfer: open }) =>
              open?.status === 'running' && open.destination_node_id === node_id,
          )
          if (state === 'before' && isMoved) state = 'gone'
          if (state === 'gone' && !isCommitted) throw gone
          return done
        })
        if (state === 'gone') throw gone
        return result
      },
    }),
  })
}

test('what would change an Instance on its way waits for the transfer; what does not touch its content works once it failed [INS-099, RTE-173]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  world.broken.set('access', 'node.command_failed')
  await assert.rejects(transfer(world, request))
  const open = { code: 'instance.transfer_incomplete', status: 409 }
  const { handlers } = world.instances
  const call = fakeCall()
  const set = async () => ({ set: new Map([['NAME', 'value']]), removed: [] })
  const store = async () => {
    const seen = (await world.instances.instances.find(data.id)) ?? assert.fail()
    return world.environment.replace(call, seen, set)
  }
  const route = data.route?.id ?? 0
  await assert.rejects(
    handlers['instance:rename']({ call, input: { instance: data.id, domain: 'x.example' } }),
    open,
  )
  await assert.rejects(handlers['instance:setup']({ call, input: { instance: data.id } }), open)
  await assert.rejects(destroyInstance(world, data.id, { force: true }), open)
  await assert.rejects(createFor(world, data.id, { domain: 'y.example', web_root: 'public/y' }), open)
  await assert.rejects(destroy(world, route), open)
  await assert.rejects(update(world, route, { publication: 'public' }), open)
  await store()
  world.broken.clear()
  await transfer(world, request)
  await store()
  // Before the cutover everything is copied again, so its values may change while the destination is away.
  world.silent.add(data.node_id)
  await assert.rejects(transfer(world, { instance: data.id, node_id: data.node_id }))
  await store()
  await assert.rejects(handlers['instance:setup']({ call, input: { instance: data.id } }), open)
})

test('what writing the environment anew would lose, and a Node without Docker for a container, refuse a transfer before anything changes [INS-095]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  world.hasKeysOfItsOwn = true
  await assert.rejects(transfer(world, request), { code: 'env.sync_would_drop_keys' })
  world.hasKeysOfItsOwn = false
  world.lacksDocker.add(other.id)
  await assert.rejects(transfer(world, request), { code: 'node.capability_missing' })
  assert.deepEqual(await world.store.db.selectFrom('instances').select(['node_id', 'transfer']).execute(), [
    { node_id: data.node_id, transfer: null },
  ])
})

test('a value that keeps an Instance from its next Node may be stored there, and the transfer ends [INS-096, INS-099]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  const { push } = world.checkouts.asked
  world.checkouts.asked.push = (...said) => {
    // Somebody adds a key after the transfer was accepted.
    if (said.includes('environment')) world.hasKeysOfItsOwn = true
    return push.apply(world.checkouts.asked, said)
  }
  const failed = await refusalOf(transfer(world, request))
  assert.deepEqual(
    [failed.code, failed.details['cause'], progressOf(failed).failed_step],
    ['instance.transfer_cleanup_incomplete', 'env.sync_would_drop_keys', 'environment'],
  )
  const seen = (await world.instances.instances.find(data.id)) ?? assert.fail()
  const call = fakeCall()
  await world.environment.replace(call, seen, async () => ({ set: new Map([['KEY', 'v']]), removed: [] }))
  world.checkouts.asked.push = push
  world.hasKeysOfItsOwn = false
  const moved = await transfer(world, request)
  assert.deepEqual([moved.data.node_id, moved.data.transfer?.status], [other.id, 'completed'])
})

test('what no transfer takes is refused by one that is resumed too, and closes it [INS-091]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  world.silent.add(other.id)
  await assert.rejects(transfer(world, request), { code: 'instance.transfer_failed' })
  world.silent.clear()
  world.schedules = [{ id: 's7', name: 'nightly' }]
  await assert.rejects(transfer(world, request), { code: 'schedule.target_in_use' })
  const { node_id, transfer: progress } = await shown(world, data.id)
  assert.deepEqual([node_id, progress?.status], [data.node_id, 'rolled_back'])
})

/** A transfer that stops before the cutover, when its source cannot be served again. */
async function stuckHalfway(world: World) {
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  world.broken.set('site', 'node.command_failed')
  const failed = progressOf(await refusalOf(transfer(world, request)))
  assert.deepEqual([failed.status, failed.failed_step], ['failed', 'route_withdrawal'])
  assert.deepEqual(failed.recovery_evidence?.incomplete, ['runtime_stop', 'source_copy', 'route_withdrawal'])
  world.broken.clear()
  return { request, data, copiesOf: () => world.checkouts.asked.filter(isCopy).length }
}

const isCopy = (asked: string): boolean => asked.includes('receive')

test('a transfer that could not be put back copies its source again, which was in use since [INS-095]', async () => {
  await using world = await startWorld()
  const { request, copiesOf } = await stuckHalfway(world)
  const before = copiesOf()
  const { data: moved } = await transfer(world, request)
  assert.deepEqual([moved.node_id, moved.transfer?.status], [request.node_id, 'completed'])
  assert.equal(copiesOf(), before + 1)
})

test('a transfer that could not be put back does not take along a Schedule that came since, and ends where the Instance was [INS-097]', async () => {
  await using world = await startWorld()
  const { request, data } = await stuckHalfway(world)
  world.schedules = [{ id: 's7', name: 'nightly' }]
  await assert.rejects(transfer(world, request), { code: 'schedule.target_in_use' })
  const { node_id, route, transfer: progress } = await shown(world, data.id)
  assert.deepEqual([node_id, route?.status, progress?.status], [data.node_id, 'active', 'rolled_back'])
})
