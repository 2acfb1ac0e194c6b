import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputOf } from '@fleet/contract'
import { addInstance, addNode, addProject, forEachDialect } from '@fleet/testing'
import { openPassword } from '#/databases/password.ts'
import { findConnection, insertConnection } from '#/databases/queries.ts'
import { create, PASSWORD, REGISTRATIONS, show, startWorld, type World } from '#/databases/world.test.ts'

type Changes = Omit<InputOf<'database:update'>, 'slug'>

const update = (world: World, slug: string, changes: Changes, call = world.call()) =>
  world.databases.handlers['database:update']({ call, input: { slug, ...changes } })

const passwordOf = async ({ store }: World, slug: string): Promise<string | undefined> => {
  const row = await findConnection(store.db, slug)
  return row && openPassword(store.cipher, row)?.reveal()
}

forEachDialect('only what is sent changes, and it is reported [DB-040, EV-044]', async (dialect) => {
  await using world = await startWorld(dialect)
  const { data: before } = await create(world, REGISTRATIONS.pgsql)
  const call = world.call()
  const { data } = await update(world, 'pg', { host: 'b.internal', port: 6000, password: PASSWORD }, call)
  assert.deepEqual(data, { ...before, host: 'b.internal', port: 6000 })
  assert.deepEqual(call.events, [{ type: 'database.updated', data }])
  assert.deepEqual(await show(world, 'pg'), { ...data, users_count: 0 })
  assert.equal(await passwordOf(world, 'pg'), PASSWORD)
})

forEachDialect(
  'a file that an Instance owns is its own as long as the connection leads to it [DB-017, DB-028]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const { store } = world
    const [node, other] = [await addNode(store), await addNode(store)]
    const instance = await addInstance(store, {
      project_id: (await addProject(store)).id,
      node_id: node.id,
    })
    const login = { host: 'b.internal', database: 'b', username: 'b', password: PASSWORD }
    for (const [slug, changes, isOwned] of [
      ['kept', { password: PASSWORD, path: '/srv/a.sqlite' }, true],
      ['moved', { path: '/srv/b.sqlite' }, false],
      ['elsewhere', { node_id: other.id }, false],
      ['another', { driver: 'pgsql', ...login }, false],
    ] as const) {
      await insertConnection(store.db, {
        slug,
        driver: 'sqlite',
        node_id: node.id,
        path: '/srv/a.sqlite',
        owner_instance_id: instance.id,
        test_database: ':memory:',
        created_at: '2026-01-01T00:00:00.000Z',
      })
      const { data } = await update(world, slug, changes)
      const stored = await findConnection(store.db, slug)
      assert.deepEqual(
        [data.owner_instance_id, data.test_database, stored?.owner_instance_id, stored?.test_database],
        isOwned ? [instance.id, ':memory:', instance.id, ':memory:'] : [null, null, null, null],
        slug,
      )
    }
  },
)

test('values that are stored already, and no values, change nothing and report nothing', async () => {
  await using world = await startWorld()
  const { slug, ...same } = REGISTRATIONS.pgsql
  const { data: before } = await create(world, REGISTRATIONS.pgsql)
  const call = world.call()
  for (const changes of [same, {}, { password: PASSWORD }, { port: null }, { node_id: null }])
    assert.deepEqual((await update(world, slug, changes, call)).data, before)
  assert.deepEqual(call.events, [])
})

test('a new password replaces the stored one, also one that cannot be read any more', async () => {
  await using world = await startWorld()
  await create(world, REGISTRATIONS.pgsql)
  const call = world.call()
  await update(world, 'pg', { password: 'second' }, call)
  assert.equal(await passwordOf(world, 'pg'), 'second')
  assert.equal(call.events.length, 1)
  await world.store.db.updateTable('database_connections').set({ password: 'broken' }).execute()
  await update(world, 'pg', { password: 'third' })
  assert.equal(await passwordOf(world, 'pg'), 'third')
})

test('null removes the Node and what the driver can do without [DB-008]', async () => {
  await using world = await startWorld()
  const { id: node_id } = await addNode(world.store)
  const login = { node_id, port: 7, database: '3', username: 'reader', password: PASSWORD }
  await create(world, { ...REGISTRATIONS.redis, ...login })
  assert.equal((await update(world, 'cache', { node_id: null })).data.node_id, null)
  assert.equal((await show(world, 'cache')).node_id, null)
  const cleared = { port: null, database: null, username: null, password: null }
  const { data } = await update(world, 'cache', cleared)
  assert.deepEqual([data.port, data.database, data.username, data.has_password], [6379, null, null, false])
})

const refusals: ReadonlyArray<readonly [Changes, string]> = [
  [{ path: '/a' }, 'path'],
  [{ database: null }, 'database'],
  [{ username: null }, 'username'],
  [{ password: null }, 'password'],
  [{ driver: 'sqlite' }, 'path'],
]
for (const [changes, member] of refusals)
  test(`${JSON.stringify(changes)} on pgsql is refused and changes nothing`, async () => {
    await using world = await startWorld()
    const { data: before } = await create(world, REGISTRATIONS.pgsql)
    await assert.rejects(update(world, 'pg', changes), (error: Error & { details: { errors: object } }) => {
      assert.deepEqual(Object.keys(error.details.errors), [member])
      return true
    })
    assert.deepEqual(await show(world, 'pg'), { ...before, users_count: 0 })
  })

test('another driver drops what it does not take and brings its port', async () => {
  await using world = await startWorld()
  const { data: before } = await create(world, { ...REGISTRATIONS.pgsql, port: 7000 })
  const { data: mysql } = await update(world, 'pg', { driver: 'mysql', password: PASSWORD })
  assert.deepEqual(mysql, { ...before, driver: 'mysql', port: 3306 })
  const { data: sqlite } = await update(world, 'pg', { driver: 'sqlite', path: '/a' })
  assert.deepEqual(sqlite, {
    ...before,
    driver: 'sqlite',
    host: null,
    port: null,
    database: null,
    path: '/a',
  })
})

forEachDialect('another place keeps the stored password and every other member [DB-040]', async (dialect) => {
  await using world = await startWorld(dialect)
  const { id: node_id } = await addNode(world.store)
  const { data: before } = await create(world, REGISTRATIONS.pgsql)
  const moves = [{ host: 'b.internal' }, { port: 7 }, { node_id }, { driver: 'mysql', port: 8 }] as const
  const expected = { ...before }
  for (const move of moves) {
    const call = world.call()
    assert.deepEqual((await update(world, 'pg', move, call)).data, Object.assign(expected, move))
    assert.deepEqual(
      call.events.map(({ type }) => type),
      ['database.updated'],
    )
    assert.equal(await passwordOf(world, 'pg'), PASSWORD)
  }
})

test('a Node must exist when it is named; one that has gone since stays as it is', async () => {
  await using world = await startWorld()
  const node = await addNode(world.store)
  await create(world, { ...REGISTRATIONS.redis, node_id: node.id })
  await assert.rejects(update(world, 'cache', { node_id: 9999 }), { code: 'node.not_found' })
  await world.store.db.deleteFrom('nodes').where('id', '=', node.id).execute()
  const { data } = await update(world, 'cache', { port: 5 })
  assert.deepEqual([data.port, data.node_id], [5, node.id])
})

forEachDialect('two changes at once are both kept', async (dialect) => {
  await using world = await startWorld(dialect)
  await create(world, REGISTRATIONS.pgsql)
  const password = PASSWORD
  await Promise.all([
    update(world, 'pg', { host: 'b.internal', password }),
    update(world, 'pg', { port: 7, password }),
  ])
  const { host, port } = await show(world, 'pg')
  assert.deepEqual([host, port], ['b.internal', 7])
})

test('an unknown slug is refused', async () => {
  await using world = await startWorld()
  await assert.rejects(update(world, 'none', { port: 5 }), { code: 'database.not_found', status: 404 })
})
