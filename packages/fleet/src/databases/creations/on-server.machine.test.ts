import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addGrant, addNode, addStep, asCaller, fakeCall } from '@fleet/testing'
import { startCreationWorld } from '#/databases/creations/world.test.ts'
import { findConnection } from '#/databases/queries.ts'

const SERVER = { database_server: 'main' }
const MADE = ['db.app_feature', 'db.app_feature_test', 'user.app_feature']

test('an Instance created with a database server owns a database there before its setup runs [INS-044, INS-049, DB-029]', async () => {
  await using world = await startCreationWorld()
  await world.createServer()
  const { store, project } = world.fleet
  await addStep(store, {
    project_id: project.id,
    position: 1,
    list: 'setup',
    command: 'grep -q DB_DATABASE=.app_feature. .env && grep -q APP_NAME=.shop. .env && touch migrated',
  })
  const call = world.call()
  const { id } = await world.create(SERVER, call)
  const record = await findConnection(store.db, 'app-feature')
  assert.equal(record?.owner_instance_id, id)
  assert.equal(record.test_database, 'app_feature_test')
  assert.deepEqual(world.onServer(), MADE)
  assert.notEqual(world.envFile('feature', 'migrated'), undefined)
  assert.match(world.envFile('feature', '.env.testing') ?? '', /^DB_DATABASE="app_feature_test"$/m)
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['database.created', 'instance.created'],
  )
  // The database stays whatever becomes of the setup.
  assert.deepEqual(
    call.published.map(({ type }) => type),
    ['database.created'],
  )
  assert.equal(call.notes.target, world.fleet.node.id)
  const again = world.call()
  assert.deepEqual((await world.create(SERVER, again)).id, id)
  assert.deepEqual(again.events, [])
  await assert.rejects(world.create({ database_server: 'other' }), { code: 'instance.placement_conflict' })
  await world.fleet.destroy(id, true, world.domains.instances)
  assert.deepEqual(world.onServer(), [])
  assert.equal(await findConnection(store.db, 'app-feature'), undefined)
})

test('a server that is missing, unfinished or out of reach, and a used slug, refuse before anything is stored [INS-044]', async () => {
  await using world = await startCreationWorld()
  const { store, node } = world.fleet
  await assert.rejects(world.create(SERVER), { code: 'database.server_missing', status: 404 })
  await world.createServer()
  const other = await addNode(store)
  await addGrant(store, other, node)
  await store.db.updateTable('database_servers').set({ node_id: other.id }).execute()
  const call = fakeCall({ caller: asCaller(node) })
  await assert.rejects(world.create(SERVER, call), { code: 'node_access.required', status: 403 })
  await store.db.updateTable('database_servers').set({ node_id: node.id, status: 'failed' }).execute()
  await assert.rejects(world.create(SERVER), { code: 'database.server_inactive', status: 409 })
  await store.db.updateTable('database_servers').set({ status: 'active' }).execute()
  await world.domains.databases.handlers['database:create']({
    call: world.call(),
    input: { slug: 'app-feature', driver: 'sqlite', path: '/srv/a.sqlite' },
  })
  await assert.rejects(world.create(SERVER), { code: 'database.slug_conflict', status: 409 })
  assert.deepEqual(await store.db.selectFrom('instances').select('id').execute(), [])
  assert.deepEqual(world.fleet.residue(), [])
})

test('a database that cannot be created takes the new Instance with it, without teardown [INS-044]', async () => {
  await using world = await startCreationWorld()
  await world.createServer()
  const { fleet } = world
  const { store, project } = fleet
  await addStep(store, { project_id: project.id, position: 1, list: 'teardown', command: 'touch ../../torn' })
  for (const [text, code] of [
    ['^GRANT', 'database.server_command_failed'],
    [undefined, 'database.name_conflict'],
  ] as const) {
    if (text === undefined) world.put('db.app_feature')
    world.breakOn(text)
    await assert.rejects(world.create(SERVER), { code })
    world.breakOn()
    assert.deepEqual(world.onServer(), text === undefined ? ['db.app_feature'] : [])
    assert.deepEqual(await store.db.selectFrom('instances').select('id').execute(), [])
    assert.equal(await findConnection(store.db, 'app-feature'), undefined)
    assert.deepEqual(fleet.residue(), [])
  }
})
