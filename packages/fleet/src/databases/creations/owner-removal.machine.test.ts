import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addProcess, addProject, fakeCall } from '@fleet/testing'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { type CreationWorld, startCreationWorld } from '#/databases/creations/world.test.ts'

async function withOwner(): Promise<{ readonly world: CreationWorld; readonly owner: number }> {
  const world = await startCreationWorld()
  await world.createServer()
  const { id: owner } = await world.create({ name: 'owner', database_server: 'main' })
  return { world, owner }
}

const slug = 'app-owner'
const use = ({ domains, call }: CreationWorld, instance: number) =>
  domains.databases.handlers['instance:database:add']({
    call: call(),
    input: { instance, slug, prefix: 'DB' },
  })
const isUsed = async ({ domains: { databases } }: CreationWorld, ids: readonly number[]) =>
  databases.forRemovals.requireUnused(await databases.forRemovals.ownedBy(ids), ids)
const destroy = async ({ domains }: CreationWorld, instance: number, options: object = {}) => {
  const input = { instance, ...options }
  return (await domains.instances.handlers['instance:destroy']({ call: fakeCall(), input })).data
}

test('an Instance stays while another one uses its database, whatever was forced, and goes once that is detached [DB-031]', async () => {
  const { world, owner } = await withOwner()
  await using fleet = world.fleet
  const { id: other } = await world.create({ name: 'other' })
  await use(world, other)
  const rows = () => fleet.store.db.selectFrom('database_attachments').select('instance_id').execute()
  for (const force of [false, true]) {
    const { code, details } = await refusalOf(destroy(world, owner, { force }))
    assert.equal(code, 'database.connection_attached')
    assert.deepEqual(details, {
      slug,
      instances: [{ instance_id: other, prefix: 'DB' }],
      processes: [],
      count: 1,
    })
  }
  assert.equal((await world.domains.instances.instances.find(owner))?.status, 'active')
  assert.deepEqual(world.onServer(), ['db.app_owner', 'db.app_owner_test', 'user.app_owner'])
  assert.equal((await rows()).length, 2)
  await world.domains.databases.handlers['instance:database:remove']({
    call: world.call(),
    input: { instance: other, slug },
  })
  const { retained_on_nodes, removed_databases } = await destroy(world, owner)
  assert.deepEqual(
    [retained_on_nodes, removed_databases],
    [[], [{ slug, database: 'app_owner', path: null }]],
  )
  assert.deepEqual(world.onServer(), [])
})

test('who is removed too, and the Processes of the owner, do not keep a database; a Process of a Node does', async () => {
  const { world, owner } = await withOwner()
  await using fleet = world.fleet
  const { id: other } = await world.create({ name: 'other' })
  await use(world, other)
  await assert.rejects(isUsed(world, [owner]), { code: 'database.connection_attached' })
  await isUsed(world, [owner, other])
  const { db } = fleet.store
  await db.updateTable('instances').set({ status: 'removing' }).where('id', '=', other).execute()
  await isUsed(world, [owner])
  const runtime_config = { command: ['/bin/true'], preset: null, connections: [{ slug, prefix: 'DB' }] }
  const { id } = await addProcess(fleet.store, { instance_id: owner, runtime_config })
  await isUsed(world, [owner])
  await db.updateTable('processes').set({ instance_id: null, node_id: fleet.node.id }).execute()
  const { code, details } = await refusalOf(isUsed(world, [owner]))
  assert.deepEqual(
    [code, details['processes']],
    ['database.connection_attached', [{ process_id: id, name: 'queue' }]],
  )
})

test('an Instance stays while another one uses a SQLite file in its checkout, whoever registered it', async () => {
  const world = await startCreationWorld()
  await using fleet = world.fleet
  const { id } = await world.create({ name: 'owner' })
  const { id: other } = await world.create({ name: 'other' })
  const { checkout_path: checkout } = await fleet.store.db
    .selectFrom('instances')
    .select('checkout_path')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const register = (slug: string, path: string) =>
    world.domains.databases.handlers['database:create']({
      call: world.call(),
      input: { slug, driver: 'sqlite', node_id: fleet.node.id, path },
    })
  await register('shared', `${checkout}/vendor/database.sqlite`)
  await register('beside', `${checkout}-2/database.sqlite`)
  const attach = (slug: string, prefix: string) =>
    world.domains.databases.handlers['instance:database:add']({
      call: world.call(),
      input: { instance: other, slug, prefix },
    })
  await attach('shared', 'DB')
  await attach('beside', 'B')
  const { code, details } = await refusalOf(destroy(world, id, { force: true }))
  assert.equal(code, 'database.connection_attached')
  assert.partialDeepStrictEqual(details, {
    slug: 'shared',
    instances: [{ instance_id: other, prefix: 'DB' }],
  })
  await isUsed(world, [id, other])
  const update = fleet.store.db.updateTable('instances').set({ environment: 'production' })
  await update.where('id', '=', id).execute()
  await isUsed(world, [id])
  await update.set({ environment: 'development' }).where('id', '=', id).execute()
  await world.domains.databases.handlers['instance:database:remove']({
    call: world.call(),
    input: { instance: other, slug: 'shared' },
  })
  // As earlier releases took it.
  await register('spelled', `/.${checkout}/../owner//vendor/database.sqlite`)
  await attach('spelled', 'DB')
  await assert.rejects(destroy(world, id), { code: 'database.connection_attached' })
  await fleet.store.db.deleteFrom('database_attachments').where('slug', '=', 'spelled').execute()
  await fleet.store.db.deleteFrom('database_connections').where('slug', '=', 'spelled').execute()
  const { status, removed_databases } = await destroy(world, id)
  const path = `${checkout}/vendor/database.sqlite`
  assert.deepEqual([status, removed_databases], ['completed', [{ slug: 'shared', database: null, path }]])
})

test('an Instance whose stored values have the password of a database keeps it too, as a clone in production does; its Project and production are asked', async () => {
  const { world, owner } = await withOwner()
  await using fleet = world.fleet
  const { environment, databases } = world.domains
  const password = (await environment.stored(owner)).get('DB_PASSWORD') ?? assert.fail()
  const { id: clone } = await world.create({ name: 'clone' })
  const store = (value: string) =>
    environment.handlers['env:update']({
      call: world.call(),
      input: { instance: clone, key: 'DATABASE_URL', value },
    })
  // Another database of the owner has the same user.
  await store(`mysql://app:${password}@db/another`)
  await isUsed(world, [owner])
  await store(`mysql://app:${password}@db/app_owner`)
  const values = [{ instance_id: clone, keys: ['DATABASE_URL'] }]
  const message = new RegExp(`fleet env:update ${clone} DATABASE_URL`)
  const refused = { code: 'database.connection_attached', message, details: { slug, values, count: 1 } }
  await assert.rejects(destroy(world, owner, { force: true }), refused)
  await isUsed(world, [owner, clone])
  const { db } = fleet.store
  const { id: elsewhere } = await addProject(fleet.store, { slug: 'elsewhere' })
  const move = (set: object) => db.updateTable('instances').set(set).where('id', '=', clone).execute()
  await move({ project_id: elsewhere })
  await isUsed(world, [owner])
  await move({ environment: 'production' })
  await assert.rejects(isUsed(world, [owner]), refused)
  await databases.handlers['instance:database:remove']({
    call: world.call(),
    input: { instance: owner, slug },
  })
  const drop = () => databases.handlers['database:destroy']({ call: world.call(), input: { slug } })
  await assert.rejects(drop(), refused)
  await store('mysql://app:another@db/app')
  await drop()
  assert.deepEqual(world.onServer(), [])
})

test('an Instance whose database server does not answer goes, and its answer names the database that stays', async () => {
  const { world, owner } = await withOwner()
  await using fleet = world.fleet
  world.stop()
  const { status, retained_on_nodes, removed_databases } = await destroy(world, owner)
  const { id, name } = fleet.node
  assert.deepEqual([status, removed_databases], ['completed', []])
  assert.deepEqual(retained_on_nodes, [{ node_id: id, node: name, path: null, database: 'app_owner' }])
})

test('an Instance whose database server stops to answer while it is created waits for it, and the identical request finishes it [INS-069]', async () => {
  await using world = await startCreationWorld()
  await world.createServer()
  const container = world.text('running')
  world.stop()
  const request = () => world.create({ database_server: 'main' })
  const { code, details } = await refusalOf(request())
  assert.partialDeepStrictEqual(details, {
    reason: 'server_unreachable',
    server: 'main',
    cleanup: 'incomplete',
  })
  assert.equal(code, 'database.server_command_failed')
  await assert.rejects(
    request(),
    /The Instance feature waits for its database: .*fleet process:logs.* once the server answers\. To give the Instance up: `fleet instance:destroy \d+ --force`/,
  )
  world.put('running', container)
  const { id } = await request()
  const { status, error_code } = (await world.domains.instances.instances.find(id)) ?? {}
  assert.deepEqual([status, error_code], ['active', null])
  assert.deepEqual(world.onServer(), ['db.app_feature', 'db.app_feature_test', 'user.app_feature'])
})
