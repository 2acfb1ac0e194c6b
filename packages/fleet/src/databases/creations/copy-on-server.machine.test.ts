import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import { addGrant, addNode, addStep, asCaller, fakeCall } from '@fleet/testing'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { type CreationWorld, startCreationWorld } from '#/databases/creations/world.test.ts'
import { findConnection } from '#/databases/queries.ts'
import { holding, lockOf } from '#/locks/api.ts'

/** A world whose Project has an Instance `default` with a database on a server. */
async function startWithDefault(): Promise<CreationWorld> {
  const world = await startCreationWorld()
  await world.createServer()
  await world.create({ name: 'default', database_server: 'main' })
  world.put('db.app_default', 'rows of default')
  return world
}

const instances = (world: CreationWorld) =>
  world.fleet.store.db.selectFrom('instances').select('name').orderBy('name').execute()
const DEFAULT_ALONE = ['db.app_default', 'db.app_default_test', 'user.app_default']

test('a new Instance owns a copy of the database of default before its setup runs, and both files name it [DB-030, INS-049, INS-062, INS-063, INS-064, INS-066, INS-067]', async () => {
  await using world = await startWithDefault()
  const { store, project } = world.fleet
  await addStep(store, {
    project_id: project.id,
    position: 1,
    command: 'grep -q APP_NAME=.shop. .env && cp .env migrated',
  })
  const call = world.call()
  const { id } = await world.create({}, call)
  const record = await findConnection(store.db, 'app-feature')
  assert.partialDeepStrictEqual(record, {
    driver: 'mysql',
    database_name: 'app_feature',
    test_database: 'app_feature_test',
    username: 'app_feature',
    owner_instance_id: id,
    pending_step: null,
  })
  assert.equal(world.text('db.app_feature'), 'rows of default')
  assert.equal(world.text('db.app_feature_test'), '')
  assert.equal(world.text('db.app_default'), 'rows of default')
  assert.match(world.log(), /^copy app_default app_feature app_feature$/m)
  for (const name of ['.env', 'migrated'])
    assert.match(world.envFile('feature', name) ?? '', /^DB_DATABASE="app_feature"$/m)
  assert.match(world.envFile('feature', '.env.testing') ?? '', /^DB_DATABASE="app_feature_test"$/m)
  const mapped = store.db
    .selectFrom('database_attachments')
    .select(['prefix', 'slug'])
    .where('instance_id', '=', id)
  assert.deepEqual(await mapped.execute(), [{ prefix: 'DB', slug: 'app-feature' }])
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['database.created', 'instance.created'],
  )
  const again = world.call()
  await world.create({}, again)
  assert.deepEqual(again.events, [])
  assert.equal(world.log().match(/^copy /gm)?.length, 1)
  await world.fleet.destroy(id, true, world.domains.instances)
  assert.deepEqual(world.onServer(), DEFAULT_ALONE)
})

test('a load that still runs is ended before the data is copied again [INS-068]', async () => {
  await using world = await startWithDefault()
  world.put('sessions', 'KILL 17;\n')
  await world.create()
  const log = world.log()
  assert.ok(log.indexOf('KILL 17;') < log.lastIndexOf('DROP DATABASE IF EXISTS `app_feature`;'))
  assert.ok(log.lastIndexOf('DROP DATABASE IF EXISTS `app_feature`;') < log.indexOf('\ncopy '))
})

test('a server that somebody else changes for longer than a creation may wait keeps the new Instance for the identical request', async () => {
  await using world = await startWithDefault()
  const { store, node } = world.fleet
  // What is kept for the removal after a failure, and a second, however long the steps before take here.
  const deadline = new Deadline({ ...systemClock, ticks: () => 0 }, 92, 0)
  await holding(store, fakeCall(), lockOf('databaseServer', 'main'), () =>
    assert.rejects(world.create({}, fakeCall({ caller: asCaller(node, true), deadline })), {
      code: 'database.server_busy',
    }),
  )
  assert.deepEqual(await instances(world), [{ name: 'default' }, { name: 'feature' }])
  await world.create()
  assert.equal(world.text('db.app_feature'), 'rows of default')
})

test('without default, without its DB attachment, and for default itself nothing is copied [INS-062, INS-071]', async () => {
  await using world = await startCreationWorld()
  await world.createServer()
  await world.create({ name: 'first' })
  await world.create({ name: 'default' })
  await world.create({ name: 'second' })
  assert.deepEqual(world.onServer(), [])
  assert.equal(world.envFile('second'), 'APP_NAME=shop\n')
})

test('a database that nobody can copy, or in reach of nobody, refuses before anything is stored [DB-077, INS-070]', async () => {
  await using world = await startWithDefault()
  const { store, node } = world.fleet
  const other = await addNode(store)
  await addGrant(store, node, other)
  await store.db.updateTable('database_servers').set({ status: 'failed' }).execute()
  assert.deepEqual((await refusalOf(world.create())).details['reason'], 'server_inactive')
  await store.db.updateTable('database_servers').set({ status: 'active', node_id: other.id }).execute()
  await store.db.deleteFrom('node_grants').execute()
  await assert.rejects(world.create({}, fakeCall({ caller: asCaller(node) })), {
    code: 'node_access.required',
  })
  await world.domains.databases.handlers['database:create']({
    call: world.call(),
    input: { slug: 'plain', driver: 'mysql', host: 'h', database: 'd', username: 'u', password: 'p' },
  })
  const instance = (await store.db.selectFrom('instances').select('id').executeTakeFirstOrThrow()).id
  await world.domains.databases.handlers['instance:database:add']({
    call: world.call(),
    input: { instance, slug: 'plain', prefix: 'DB' },
  })
  const { message, ...refused } = await refusalOf(world.create())
  assert.match(message, / `fleet instance:database:remove 1 plain --prefix DB`\.$/)
  assert.deepEqual(refused, {
    code: 'instance.database_clone_unsupported',
    status: 422,
    details: { database_connection: 'plain', reason: 'not_on_a_server' },
  })
  await store.db
    .updateTable('database_connections')
    .set({ driver: 'sqlite' })
    .where('slug', '=', 'plain')
    .execute()
  assert.equal((await refusalOf(world.create())).details['reason'], 'outside_checkout')
  assert.deepEqual(await instances(world), [{ name: 'default' }])
  assert.deepEqual(world.onServer(), DEFAULT_ALONE)
})

test('a copy that fails is dropped, and its Instance removed without teardown [DB-078, INS-069]', async () => {
  await using world = await startWithDefault()
  const { store, project } = world.fleet
  await addStep(store, { project_id: project.id, position: 1, list: 'teardown', command: 'touch ../../torn' })
  const before = world.fleet.residue()
  world.breakOn('copy app_default')
  assert.partialDeepStrictEqual(await refusalOf(world.create()), {
    code: 'instance.database_clone_failed',
    status: 502,
    details: { reason: 'database.server_command_failed' },
  })
  assert.match(world.log(), /^copy app_default app_feature/m)
  assert.deepEqual(world.onServer(), DEFAULT_ALONE)
  assert.deepEqual(await instances(world), [{ name: 'default' }])
  assert.equal(await findConnection(store.db, 'app-feature'), undefined)
  assert.deepEqual(world.fleet.residue(), before)
})

test('a removal that cannot finish names the command that does, and so does the identical request until then [INS-069]', async () => {
  await using world = await startWithDefault()
  const { store } = world.fleet
  world.breakOn('copy app_default\\|SELECT schema_name')
  const refused = await refusalOf(world.create())
  assert.equal(refused.code, 'instance.database_clone_failed')
  const { id, status } = await store.db
    .selectFrom('instances')
    .select(['id', 'status'])
    .where('name', '=', 'feature')
    .executeTakeFirstOrThrow()
  assert.equal(status, 'removing')
  const finish = `fleet instance:destroy ${id} --force`
  assert.partialDeepStrictEqual(refused.details, { cleanup: 'incomplete', finish })
  world.breakOn()
  await assert.rejects(world.create(), {
    code: 'instance.lifecycle_conflict',
    message: `The Instance feature is being removed. Finish that first: \`${finish}\`.`,
    details: { status, finish },
  })
  await world.fleet.destroy(id, true, world.domains.instances)
  assert.deepEqual(world.onServer(), DEFAULT_ALONE)
})
