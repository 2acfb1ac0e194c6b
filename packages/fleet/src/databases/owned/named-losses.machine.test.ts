import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDialect } from '@fleet/testing'
import { startServerWorld } from '#/databases/servers/world.test.ts'

forEachDialect('a user that somebody created on the server is not taken over', async (dialect) => {
  await using world = await startServerWorld(dialect)
  const server = await world.createServer()
  await world.create('shop')
  const { handlers } = world.databases
  const { db } = world.deps.store
  const add = async () =>
    (
      await handlers['database:user:create']({
        call: world.call(),
        input: { slug: 'shop', username: 'metabase', password: 'canary-user' },
      })
    ).created
  world.put('user.metabase', 'of a person')
  await assert.rejects(add(), {
    code: 'database.name_conflict',
    details: { server: 'main', username: 'metabase' },
  })
  assert.equal(world.grantsOf('metabase'), 'of a person')
  assert.deepEqual(await db.selectFrom('database_users').selectAll().execute(), [])
  const residue = { database_name: 'gone', created_at: new Date(0).toISOString() }
  await db
    .insertInto('database_residues')
    .values({ ...residue, server_id: server.id, created_users: ['metabase'] })
    .execute()
  assert.equal(await add(), true, 'what is left of a database of the fleet')
})

test('a removal names every database that it dropped, also one whose name only begins like the test database [DBS-049]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  await world.create('shop', await world.addInstance('feature'))
  await world.deps.store.db.deleteFrom('database_attachments').execute()
  for (const name of ['shop_test_1', 'shop_testimonials', 'shopping']) world.put(`db.${name}`)
  const call = world.call()
  const { data } = await world.databases.handlers['database:destroy']({ call, input: { slug: 'shop' } })
  const dropped = ['shop', 'shop_test', 'shop_test_1', 'shop_testimonials']
  assert.deepEqual(data.dropped_databases.toSorted(), dropped)
  assert.deepEqual(world.onServer(), ['db.shopping'])
})

test('a database for an Instance names the connection and the stored values that it has replaced', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const instance = await world.addInstance('feature')
  for (const [key, value] of [
    ['DB_PASSWORD', 'typed here alone'],
    ['DB_CONNECTION', 'mysql'],
  ] as const)
    await world.environment.handlers['env:update']({
      call: world.call(),
      input: { instance: instance.id, key, value },
    })
  const replacedBy = async (slug: string) => {
    const { replaced } = Object(await world.create(slug, instance)) as { replaced?: unknown } // Absent where it replaced nothing.
    return replaced
  }
  assert.deepEqual(await replacedBy('first'), { connection: null, keys: ['DB_PASSWORD'] })
  assert.deepEqual(await replacedBy('second'), { connection: 'first', keys: ['DB_DATABASE'] })
  const fresh = await world.addInstance('fresh')
  assert.equal('replaced' in Object(await world.create('third', fresh)), false)
})
