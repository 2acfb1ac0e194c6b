import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseUser } from '@fleet/contract'
import { addDatabase, forEachDialect } from '@fleet/testing'
import { putUser } from '#/databases/owned/queries.ts'
import { create, REGISTRATIONS, show, startWorld, type World } from '#/databases/world.test.ts'

const AT = '2026-01-02T03:04:05.000Z'

const users = async ({ databases, call }: World, slug: string) =>
  (await databases.handlers['database:user:list']({ call: call(), input: { slug } })).data

forEachDialect(
  'connections are listed by slug, without a count of users [DB-018, DB-034]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    for (const slug of ['b', 'a-1', 'a', 'c2']) await addDatabase(world.store, { slug })
    const { data } = await world.databases.handlers['database:list']({ call: world.call(), input: {} })
    assert.deepEqual(
      data.map(({ slug }) => slug),
      ['a', 'a-1', 'b', 'c2'],
    )
    assert.ok(data.every((listed) => !('users_count' in listed)))
    assert.equal((await show(world, 'a')).users_count, 0)
  },
)

forEachDialect('users of a connection are listed by name and counted [DB-043, DBS-019]', async (dialect) => {
  await using world = await startWorld(dialect)
  const [one, other] = [await addDatabase(world.store), await addDatabase(world.store)]
  const row = { privileges: 'SELECT ON shop', created_by: null, created_at: AT }
  for (const [database_connection_id, username] of [
    [one.id, 'writer'],
    [one.id, 'reader'],
    [other.id, 'third'],
  ] as const)
    await world.store.db
      .insertInto('database_users')
      .values({ ...row, database_connection_id, username })
      .execute()
  const listed = await users(world, one.slug)
  assert.deepEqual(
    listed.map(({ username }) => username),
    ['reader', 'writer'],
  )
  for (const user of listed) assert.deepEqual(databaseUser.parse(user), user)
  assert.deepEqual(listed[0], { id: 2, database_connection_id: one.id, username: 'reader', ...row })
  assert.equal((await show(world, one.slug)).users_count, 2)
})

forEachDialect('a user that is created again has what the last request says [DBS-020]', async (dialect) => {
  await using world = await startWorld(dialect)
  const { id, slug } = await addDatabase(world.store)
  const row = { database_connection_id: id, username: 'reader' }
  const first = { ...row, privileges: 'SELECT on shop', created_by: 'web-1', created_at: AT, role: null }
  assert.deepEqual(await putUser(world.store.db, first), { id: 1, ...first })
  for (const [privileges, created_by, role] of [
    ['ALL PRIVILEGES on shop', 'web-2', 'fleet.shop'],
    ['SELECT on shop', null, null],
  ] as const) {
    const next = { ...row, privileges, created_by, created_at: '2026-01-03T00:00:00.000Z' }
    assert.deepEqual(await putUser(world.store.db, { ...next, role }), { id: 1, ...next, role })
    assert.deepEqual(await users(world, slug), [{ id: 1, ...next }])
  }
})

test('no user can be added to a database that is on no server', async () => {
  await using world = await startWorld()
  const { slug } = await addDatabase(world.store)
  const adding = world.databases.handlers['database:user:create']({
    call: world.call(),
    input: { slug, username: 'reader', password: 'x' },
  })
  await assert.rejects(adding, { code: 'database.server_required', status: 422 })
  assert.deepEqual(await users(world, slug), [])
})

forEachDialect(
  'a removal answers the record, reports it, and a second one finds nothing [DB-041, EV-045]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const { data } = await create(world, REGISTRATIONS.redis)
    const call = world.call()
    const destroy = () => world.databases.handlers['database:destroy']({ call, input: { slug: 'cache' } })
    assert.deepEqual((await destroy()).data, { ...data, retained_on_nodes: [], dropped_databases: [] })
    assert.deepEqual(call.events, [{ type: 'database.deleted', data: { id: data.id, slug: 'cache' } }])
    await assert.rejects(destroy(), { code: 'database.not_found' })
    await assert.rejects(show(world, 'cache'), { code: 'database.not_found', status: 404 })
    assert.equal((await create(world, REGISTRATIONS.redis)).created, true)
  },
)

test('an unknown slug is refused by every read and change of records', async () => {
  await using world = await startWorld()
  const { call } = world
  const { handlers } = world.databases
  const input = { slug: 'none' }
  for (const asked of [
    handlers['database:show']({ call: call(), input }),
    handlers['database:destroy']({ call: call(), input }),
    handlers['database:user:list']({ call: call(), input }),
    handlers['database:user:create']({ call: call(), input: { ...input, username: 'a', password: 'b' } }),
  ])
    await assert.rejects(asked, { code: 'database.not_found', status: 404 })
})
