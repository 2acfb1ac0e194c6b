import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SparePlace } from '@fleet/database-access'
import { type InspectionWorld, register, startInspectionWorld } from '#/databases/inspection-world.test.ts'
import { deleteConnection } from '#/databases/queries.ts'

const RESULT = { columns: ['a'], rows: [{ a: 1 }], row_count: 1, truncated: false }

/** Where the engines were told to keep connections for the statement that this sends. */
async function placeOf(world: InspectionWorld, slug: string): Promise<SparePlace> {
  world.access.answer('select 1', RESULT)
  await world.databases.handlers['database:query']({ call: world.call(), input: { slug, sql: 'select 1' } })
  const target = world.access.asked.at(-1)?.target
  assert.ok(target && target.engine !== 'sqlite' && target.spares)
  return target.spares
}

test('connections that are kept ready belong to the row as it is stored, and to the Node as it is reached', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'pgsql', { node_id: world.node.id })
  const versions = new Set<string>()
  const first = await placeOf(world, slug)
  assert.equal((await placeOf(world, slug)).version, first.version)
  versions.add(first.version)
  const update = world.databases.handlers['database:update']
  for (const change of [
    { password: 'another one' },
    { host: 'db2.internal', password: 'p' },
    { port: 6000, password: 'p' },
    { username: 'writer' },
    { database: 'shop2' },
    { tls: 'disable' as const },
    { node_id: null },
  ]) {
    await update({ call: world.call(), input: { slug, ...change } })
    versions.add((await placeOf(world, slug)).version)
    assert.deepEqual(world.access.dropped, Array(versions.size - 1).fill(first.owner))
  }
  assert.equal(versions.size, 8)
  await update({ call: world.call(), input: { slug, node_id: world.node.id, password: 'p' } })
  const reached = await placeOf(world, slug)
  await world.store.db
    .updateTable('nodes')
    .set({ wireguard_ip: '10.99.0.77' })
    .where('id', '=', world.node.id)
    .execute()
  const moved = await placeOf(world, slug)
  assert.notEqual(moved.version, reached.version)
})

test('they have no password in their names, are told apart by server, and are closed with the record', async () => {
  await using world = await startInspectionWorld()
  const [first, second] = [await register(world, 'pgsql'), await register(world, 'mysql')]
  const [one, other] = [await placeOf(world, first), await placeOf(world, second)]
  assert.doesNotMatch(JSON.stringify([one, other]), /canary/)
  assert.notEqual(one.owner, other.owner)
  assert.notEqual(one.server, other.server)
  await world.databases.handlers['database:destroy']({ call: world.call(), input: { slug: first } })
  assert.deepEqual(world.access.dropped, [one.owner])
})

test('a record that an update leaves as it was keeps what is ready', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'pgsql')
  const { version } = await placeOf(world, slug)
  await world.databases.handlers['database:update']({
    call: world.call(),
    input: { slug, username: 'reader' },
  })
  assert.deepEqual([world.access.dropped, (await placeOf(world, slug)).version], [[], version])
})

test('a record of the same slug that comes later is another one', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'pgsql')
  const before = await placeOf(world, slug)
  const row = await world.store.db.selectFrom('database_connections').selectAll().executeTakeFirstOrThrow()
  await deleteConnection(world.store.db, row.id)
  await register(world, 'pgsql')
  const after = await placeOf(world, slug)
  assert.notDeepEqual([after.owner, after.version], [before.owner, before.version])
})
