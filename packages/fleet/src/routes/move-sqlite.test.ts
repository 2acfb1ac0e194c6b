import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDatabase, addInstance } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { progressOf, transfer, twoNodes } from '#/routes/move-world.test.ts'
import { startWorld, type World } from '#/routes/world.test.ts'

/** An Instance with a database in its checkout, and the request that moves both. */
async function startWithDatabase(inside = true) {
  const world = await startWorld()
  const { other, data, project } = await twoNodes(world)
  const { sqlite } = world.checkouts
  const path = inside ? `${data.checkout_path}/data/shop.sqlite` : '/srv/shop.sqlite'
  sqlite.held.set(`${data.node_id} ${path}`, 'rows')
  const request = { instance: data.id, node_id: other.id, sqlite_source_path: path }
  return { world, other, data, project, path, sqlite, request }
}

const record = async ({ store }: World, id: number) =>
  store.db
    .selectFrom('instances')
    .select(['transfer', 'node_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const attach = async (
  world: World,
  instance_id: number,
  { slug, node_id, path }: { slug: string; node_id: number; path: string },
) => {
  await addDatabase(world.store, { slug, driver: 'sqlite', node_id, path })
  await world.store.db
    .insertInto('database_attachments')
    .values({ instance_id, prefix: 'DB', slug, created_at: '2026-01-01T00:00:00.000Z' })
    .execute()
}

test('the steps of a transfer with a database come in their order: the source stops and is copied, then its database, then its environment, its Route, and its old place goes [INS-093]', async () => {
  const { world, request } = await startWithDatabase()
  await using _world = world
  const { asked } = world.checkouts
  asked.length = 0
  await transfer(world, request)
  const first = [
    'stop',
    'send source',
    'fleet node-sqlite-carry send',
    'names none',
    'environment',
    'sites shop.there',
    'delete source',
  ].map((what) => asked.findIndex((each) => each.endsWith(what)))
  assert.ok(!first.includes(-1), asked.join('\n'))
  assert.deepEqual(
    first.toSorted((one, other) => one - other),
    first,
    asked.join('\n'),
  )
})

test('a database of the checkout moves to its place in the new one, and the identical request answers the same [INS-089, INS-090]', async () => {
  const { world, other, data, path, sqlite, request } = await startWithDatabase()
  await using _world = world
  await attach(world, data.id, { slug: 'lite', node_id: data.node_id, path })
  const { data: moved } = await transfer(world, request)
  assert.deepEqual([moved.transfer?.sqlite_selected, moved.transfer?.status], [true, 'completed'])
  const place = `${moved.checkout_path}/data/shop.sqlite`
  assert.equal(sqlite.held.get(`${other.id} ${place}`), 'rows')
  assert.deepEqual(sqlite.asked, ['examine', 'receive', 'send', 'digest'])
  const named = await world.store.db.selectFrom('database_connections').select(['node_id', 'path']).execute()
  assert.deepEqual(named, [{ node_id: other.id, path: place }])
  const again = await transfer(world, request)
  assert.deepEqual([again.created, again.data, sqlite.asked.length], [false, moved, 4])
})

test('a database that is elsewhere is copied to the same path under a claim, and the original stays [INS-089]', async () => {
  const { world, other, data, path, sqlite, request } = await startWithDatabase(false)
  await using _world = world
  await attach(world, data.id, { slug: 'lite', node_id: data.node_id, path })
  await transfer(world, request)
  assert.deepEqual(Object.fromEntries(sqlite.held), {
    [`${data.node_id} ${path}`]: 'rows',
    [`${other.id} ${path}`]: 'rows',
  })
  assert.deepEqual(sqlite.asked, ['examine', 'receive', 'send', 'release'])
  const named = await world.store.db.selectFrom('database_connections').select(['node_id', 'path']).execute()
  assert.deepEqual(named, [{ node_id: other.id, path }])
})

test('a database that is not the own one of the Instance, or cannot be read, refuses the transfer before anything is stored [INS-100]', async () => {
  const { world, data, project, path, sqlite, request } = await startWithDatabase(false)
  await using _world = world
  const refused = async (code: string) => {
    const failed = await refusalOf(transfer(world, request))
    assert.deepEqual([failed.code, failed.status], [code, 409])
    assert.equal((await record(world, data.id)).transfer, null)
  }
  await refused('instance.clone_sqlite_unconfirmed')
  assert.deepEqual(sqlite.asked, [])
  await attach(world, data.id, { slug: 'lite', node_id: data.node_id, path })
  const second = await addInstance(world.store, {
    project_id: project.id,
    node_id: data.node_id,
    name: 'second',
    checkout_path: '/srv/second',
  })
  const both = { instance_id: second.id, prefix: 'DB', slug: 'lite', created_at: '2026-01-01T00:00:00.000Z' }
  await world.store.db.insertInto('database_attachments').values(both).execute()
  await refused('instance.clone_sqlite_unconfirmed')
  await world.store.db.deleteFrom('database_attachments').where('instance_id', '=', second.id).execute()
  for (const problem of ['missing', 'damaged']) {
    sqlite.refused.set('examine', { end: 'source', problem })
    await refused('sqlite.seed_preflight_failed')
  }
  sqlite.refused.clear()
  assert.equal((await transfer(world, request)).data.transfer?.status, 'completed')
})

for (const [word, end, problem, code] of [
  ['send', 'source', 'damaged', 'sqlite.seed_preflight_failed'],
  ['receive', 'way', 'torn', 'sqlite.seed_transfer_failed'],
  ['receive', 'destination', 'full', 'sqlite.seed_failed'],
] as const)
  test(`a database that cannot be carried puts the Instance back: ${code} [INS-090, INS-100]`, async () => {
    const { world, other, data, path, sqlite, request } = await startWithDatabase(false)
    await using _world = world
    await attach(world, data.id, { slug: 'lite', node_id: data.node_id, path })
    sqlite.refused.set(word, { end, problem })
    const failed = await refusalOf(transfer(world, request))
    assert.deepEqual([failed.code, failed.details['problem']], [code, problem])
    assert.deepEqual(
      failed.details['node'],
      end === 'source' ? { id: data.node_id, name: world.node.name } : { id: other.id, name: other.name },
    )
    const progress = progressOf(failed)
    assert.deepEqual(
      [progress.status, progress.failed_step, progress.error_code, progress.sqlite_selected],
      ['rolled_back', 'sqlite-seed', code, true],
    )
    assert.equal((await record(world, data.id)).node_id, data.node_id)
    assert.deepEqual([...sqlite.held.keys()], [`${data.node_id} ${path}`])
    // What has arrived there could not be removed: the transfer stays open and says so.
    sqlite.refused.set('drop', { end: 'destination', problem: 'failed' })
    const left = progressOf(await refusalOf(transfer(world, request)))
    assert.deepEqual(left.recovery_evidence, {
      rollback_pending: true,
      incomplete: ['runtime_stop', 'source_copy', 'sqlite-seed'],
      sqlite_source_path: path,
    })
    for (const given of [{}, { sqlite_source_path: '/srv/other.sqlite' }]) {
      const { code: conflict, details } = await refusalOf(
        transfer(world, { instance: data.id, node_id: other.id, ...given }),
      )
      assert.deepEqual([conflict, details['sqlite_source_path']], ['instance.transfer_retry_conflict', path])
    }
    sqlite.refused.clear()
    assert.equal((await transfer(world, request)).data.transfer?.status, 'completed')
  })

test('an old checkout whose database somebody has written to since is kept, and deleted once the change is undone [INS-095]', async () => {
  const { world, other, data, path, sqlite, request } = await startWithDatabase()
  await using _world = world
  sqlite.refused.set('digest', { end: 'source', problem: 'failed' })
  const silent = await refusalOf(transfer(world, request))
  assert.deepEqual(
    [silent.code, silent.details['cause']],
    ['instance.transfer_cleanup_incomplete', 'sqlite.seed_preflight_failed'],
  )
  sqlite.refused.clear()
  sqlite.held.set(`${data.node_id} ${path}`, 'later')
  const failed = await refusalOf(transfer(world, request))
  assert.equal(failed.code, 'instance.transfer_cleanup_conflict')
  assert.ok(world.checkouts.at(data.checkout_path).includes('source'))
  sqlite.held.set(`${data.node_id} ${path}`, 'rows')
  const { data: moved } = await transfer(world, request)
  assert.deepEqual([moved.node_id, moved.transfer?.status], [other.id, 'completed'])
  assert.deepEqual(world.checkouts.at(data.checkout_path), [])
})

test('a process that dies anywhere in a transfer with a database leaves one that the identical request finishes [INS-095, INS-096]', async () => {
  const { world: first, other, data, sqlite } = await startWithDatabase(false)
  await using _first = first
  const path = '/srv/shop.sqlite'
  await attach(first, data.id, { slug: 'lite', node_id: data.node_id, path })
  const [here, there] = [data.node_id, other.id]
  const counted = await startWorld({ after: first })
  const request = (node_id: number) => ({ instance: data.id, node_id, sqlite_source_path: path })
  await transfer(counted, request(there))
  sqlite.held.delete(`${here} ${path}`)
  for (const [index, moment] of sampled(momentsOf(counted.mortal), 3).entries()) {
    const at = JSON.stringify(moment)
    const [node_id, from] = index % 2 === 0 ? [here, there] : [there, here]
    const dying = await startWorld({ after: first, moment })
    await assert.rejects(transfer(dying, request(node_id)), Died, at)
    const { data: moved } = await transfer(first, request(node_id))
    assert.deepEqual([moved.node_id, moved.transfer?.status], [node_id, 'completed'], at)
    const ends = [`${here} ${path}`, `${there} ${path}`]
    assert.deepEqual([...sqlite.held.keys()].toSorted(), ends.toSorted(), at)
    // The original stays; what moves back needs its place.
    sqlite.held.delete(`${from} ${path}`)
  }
})
